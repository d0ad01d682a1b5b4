#include <cstdio>
#include <map>
#include <utility>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::map<std::pair<int, int>, int> seen;
    long long total = 0;
    for (int i = 0, x; i < n && scanf("%d", &x) == 1; i++) {
        if (++seen[{x / 1000, x % 1000}] == 1) total += x;
    }
    printf("%lld\n", total);
}
