#include <cstdio>
#include <map>

int main() {
    int n;
    scanf("%d", &n);
    std::map<int, int> seen;
    long long sum = 0;
    for (int i = 0; i < n; i++) {
        int x;
        scanf("%d", &x);
        if (seen.count(x) == 0) sum += x;
        seen[x]++;
    }
    printf("%lld\n", sum);
}
