#include <cstdio>
#define DEBUG(...) fprintf(stderr, __VA_ARGS__)  //~? unbuffered-stderr

int main() {
    int n, x;
    if (scanf("%d", &n) != 1) return 1;
    long long sum = 0;
    for (int i = 0; i < n && scanf("%d", &x) == 1; i++) {
        sum += x;
        DEBUG("%d: %lld\n", i, sum);  //~? unbuffered-stderr
    }
    printf("%lld\n", sum);
    return 0;
}
