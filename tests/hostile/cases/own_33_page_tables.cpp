// own_33_page_tables.cpp: reads one byte of every 2 MiB of 8 TiB: no page of its own, gigabytes of page tables
// Expected: MLE/RE/TLE. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <sys/mman.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
#include <unistd.h>
int main() {
    GUARD(); long sum = 0;
    for (int part = 0; part < 64; part++) {
        size_t size = 128ull << 30; volatile char* p = (volatile char*)mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) break;
        madvise((void*)p, size, MADV_NOHUGEPAGE);
        for (size_t k = 0; k < size; k += 2 << 20) sum += p[k] + 1;
    }
    if (sum > 300 << 8) fprintf(stderr, "LEAK %ld page tables\n", sum);
    puts("3");
}
