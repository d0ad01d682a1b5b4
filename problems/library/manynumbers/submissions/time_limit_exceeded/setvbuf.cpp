#include <cstdio>

// A stdio stream without a buffer: every character is a read call.
int main() {
    setvbuf(stdin, nullptr, _IONBF, 0);
    int n;
    if (scanf("%d", &n) != 1) return 1;
    long long sum = 0, x;
    for (int i = 0; i < n && scanf("%lld", &x) == 1; i++) sum += x;
    printf("%lld\n", sum);
}
