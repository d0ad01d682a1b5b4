// About a second of chasing through 16 MiB in no order: each step waits for memory. The argument is the work in thousandths.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
int main(int, char **argv) {
    const std::uint32_t size = 1U << 22;
    std::vector<std::uint32_t> next(size);
    for (std::uint32_t i = 0; i < size; i++) next[i] = (i * 1664525U + 1013904223U) % size;  // one cycle through all
    std::uint32_t at = 0;
    for (long i = std::atol(argv[1]) * 18000; i > 0; i--) at = next[at];
    std::printf("%u\n", at);
}
