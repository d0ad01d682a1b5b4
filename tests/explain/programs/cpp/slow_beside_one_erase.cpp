#include <bits/stdc++.h>
using namespace std;

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    vector<int> values(n);
    values.erase(values.begin());
    values.insert(values.begin(), 1);
    int count = 0;
    for (int i = 2; i <= n; i++) {
        int j = 2;
        while (j < i && i % j) j++;
        count += j == i;
    }
    printf("%d\n", count);
}
