#include <cstdio>
#include <unistd.h>

static long long read_integer() {
    char c;
    bool negative = false;
    long long value = 0;
    while (read(0, &c, 1) == 1 && c != '\n') {
        if (c == '-') negative = true;
        if (c >= '0' && c <= '9') value = value * 10 + (c - '0');
    }
    return negative ? -value : value;
}

int main() {
    long long n = read_integer(), sum = 0;
    for (long long i = 0; i < n; i++) sum += read_integer();
    printf("%lld\n", sum);
}
