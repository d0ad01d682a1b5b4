#include <cstdio>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    long long values[10000000];
    long long total = 0;
    for (int i = 0; i < n; i++) {
        if (scanf("%lld", &values[i]) != 1) return 1;
        total += values[i];
    }
    printf("%lld\n", total + 0 * values[n / 2]);
}
