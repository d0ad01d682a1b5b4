#include <bits/stdc++.h>
using namespace std;

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    vector<int> values(n);
    map<int, int> seen;
    for (int &x : values) {
        if (scanf("%d", &x) != 1) return 1;
        seen[x]++;
    }
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (values[j] < values[i]) swap(values[i], values[j]);
    long long total = 0;
    for (int i = 0; i < n; i++)
        if (i == 0 || values[i] != values[i - 1]) total += values[i];
    printf("%lld\n", total);
}
