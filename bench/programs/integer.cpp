// About a second of integer arithmetic in registers: no memory, no system calls. The argument is the work in thousandths.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
int main(int, char **argv) {
    std::uint64_t x = 88172645463325252ULL;
    for (long i = std::atol(argv[1]) * 600000; i > 0; i--) x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    std::printf("%llu\n", static_cast<unsigned long long>(x));
}
