#include <cstdio>
#include <unistd.h>

static int next_char() {
    char c;
    return read(0, &c, 1) == 1 ? c : -1;  //~ tiny-reads
}

static int number() {
    int value = 0, c = next_char();
    while (c >= '0') {
        value = 10 * value + c - '0';
        c = next_char();
    }
    return value;
}

int main() {
    int n = number();
    long long sum = 0;
    while (n--) sum += number();
    printf("%lld\n", sum);
}
