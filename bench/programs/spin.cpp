// About half a second of arithmetic in registers: no memory, no system calls.
#include <cstdint>
#include <cstdio>
int main() {
    std::uint64_t x = 88172645463325252ULL;
    for (int i = 0; i < 250000000; i++) x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    std::printf("%llu\n", static_cast<unsigned long long>(x));
}
