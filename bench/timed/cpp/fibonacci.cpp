#include <cstdio>
long fibonacci(long n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
int main() {
    std::printf("%ld\n", fibonacci(38));
}
