// own_10_crowd_out_of_memory.cpp: forty children of 12 MiB each; when some are killed, the parent answers as if nothing had been
// Expected: MLE. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
int main() {
    GUARD();
    for (int i = 0; i < 40; i++)
        if (fork() == 0) { size_t n = 12u << 20; volatile char* p = (char*)malloc(n); for (size_t k = 0; k < n; k += 4096) p[k] = 1; usleep(400000); _exit(0); }
    while (wait(nullptr) > 0) {}
    puts("3");
}
