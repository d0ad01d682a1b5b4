#include <cstdio>
#include <map>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::map<int, int> seen;
    long long total = 0;
    for (int i = 0, x; i < n && scanf("%d", &x) == 1; i++) {
        if (++seen[x] == 1) total += x;  //~ costly-map
    }
    printf("%lld\n", total);
}
