#include <cstdio>

int main() {
    setbuf(stdin, nullptr);  //~? tiny-reads
    int n, x;
    if (scanf("%d", &n) != 1) return 1;  //~? tiny-reads
    long long sum = 0;
    for (int i = 0; i < n; i++) {
        if (scanf("%d", &x) != 1) return 1;  //~? tiny-reads
        sum += x;
    }
    printf("%lld\n", sum);
    return 0;
}
