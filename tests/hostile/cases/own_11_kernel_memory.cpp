// own_11_kernel_memory.cpp: fills pipes and socket buffers in forty processes: memory that is in no process
// Expected: MLE/RE. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
static long hold() {
    static char page[4096]; long held = 0;
    for (int i = 0; i < 100; i++) {
        int p[2];
        if (i % 2 ? pipe2(p, O_NONBLOCK) : socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, p)) break;
        for (ssize_t n; (n = write(p[1], page, sizeof page)) > 0;) held += n;
    }
    return held;
}
int main() {
    GUARD(); int tell[2]; long held, all = 0;
    if (pipe(tell)) return 1;
    for (int i = 0; i < 40; i++)
        if (fork() == 0) { held = hold(); (void)!write(tell[1], &held, sizeof held); pause(); }
    for (int i = 0; i < 40 && read(tell[0], &held, sizeof held) == sizeof held; i++) all += held;
    if (all > 300 << 20) fprintf(stderr, "LEAK %ld MiB of kernel memory\n", all >> 20);
    puts("3");
}
