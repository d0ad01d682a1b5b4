// own_35_pinned_pages.cpp: pins pages in pipes by vmsplice, unmaps them, and so holds more than any process has
// Expected: MLE/RE/WA. For our own grader's acceptance run only, never outside the sandbox.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
int main() {
    GUARD(); int tell[2]; if (pipe(tell)) return 1;
    for (int child = 0; child < 40; child++)
        if (fork() == 0) {
            long held = 0; int p[2];
            for (int i = 0; i < 110 && pipe(p) == 0; i++) {
                size_t size = 64 << 10; char* m = (char*)mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); memset(m, 1, size);
                iovec v = {m, size}; fcntl(p[1], F_SETFL, O_NONBLOCK); ssize_t n = vmsplice(p[1], &v, 1, SPLICE_F_NONBLOCK); if (n > 0) held += n; munmap(m, size);
            }
            (void)!write(tell[1], &held, sizeof held); pause();
        }
    close(tell[1]); long held, all = 0;
    for (int i = 0; i < 40 && read(tell[0], &held, sizeof held) == sizeof held; i++) all += held;
    if (all > 262l << 20) fprintf(stderr, "LEAK %ld MiB pinned\n", all >> 20);
    kill(0, 9);
}
