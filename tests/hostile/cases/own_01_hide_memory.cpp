// own_01_hide_memory.cpp: touches 180 MiB, gives it back and has the kernel forget the mark
// Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
int main() {
    size_t n = 180u << 20; volatile char* p = (volatile char*)malloc(n); for (size_t k = 0; k < n; k += 4096) p[k] = 7; fprintf(stderr, "INFO %d\n", p[4096]); free((void*)p);
    int f = open("/proc/self/clear_refs", O_WRONLY);
    if (f >= 0 && write(f, "5", 1) == 1) puts("LEAK the peak of memory can be reset");
    puts("3");
}
