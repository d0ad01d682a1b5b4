#include <bits/stdc++.h>
using namespace std;

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    set<int> known;
    for (int i = 0; i < n; i++)
        if (known.find(i) == known.end()) known.insert(i);
    int count = 0;
    for (int i = 2; i <= n; i++) {
        int j = 2;
        while (j < i && i % j) j++;
        count += j == i;
    }
    printf("%d\n", count);
}
