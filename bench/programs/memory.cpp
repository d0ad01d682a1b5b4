// About a second of chasing through 64 MiB in no order: each step waits for memory. The argument is the work in thousandths.
// So much never fits the caches, whatever share of them the host's other guests leave: 16 MiB did at times, and a step then
// took half as long. In huge pages, where there are some: else a step also waits for page tables, or not, as they are cached.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
int main(int, char **argv) {
    const std::uint32_t size = 1U << 24;
    const std::size_t bytes = size * sizeof(std::uint32_t);
    auto *next = static_cast<std::uint32_t *>(std::aligned_alloc(2U << 20, bytes));
    if (!next) return 1;
    madvise(next, bytes, MADV_HUGEPAGE);  // a kernel without them says no
    for (std::uint32_t i = 0; i < size; i++) next[i] = (i * 1664525U + 1013904223U) % size;  // one cycle through all
    std::uint32_t at = 0;
    for (long i = std::atol(argv[1]) * 6500; i > 0; i--) at = next[at];
    std::printf("%u\n", at);
}
