#include <bits/stdc++.h>
using namespace std;

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    list<int> queue(n, 1);
    while (!queue.empty()) queue.erase(queue.begin());
    int count = 0;
    for (int i = 2; i <= n; i++) {
        int j = 2;
        while (j < i && i % j) j++;
        count += j == i;
    }
    printf("%d\n", count);
}
