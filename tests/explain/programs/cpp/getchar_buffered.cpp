#include <cstdio>

static int number() {
    int value = 0, c;
    while ((c = getchar()) >= '0') value = 10 * value + c - '0';
    return value;
}

int main() {
    int n = number();
    long long sum = 0;
    for (int i = 0; i < n; i++) sum += number();
    printf("%lld\n", sum);
}
