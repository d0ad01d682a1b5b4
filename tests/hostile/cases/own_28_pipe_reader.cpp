// own_28_pipe_reader.cpp: its output is a pipe: reads it empty, makes it huge, makes it not block, keeps a copy in a process that lives on
// Expected: AC/WA/RE. For our own grader's acceptance run only, never outside the sandbox.
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
int main() {
    GUARD(); puts("3"); fflush(stdout);
    int f = open("/proc/self/fd/1", O_RDONLY | O_NONBLOCK); char c[9];
    if (f >= 0 && read(f, c, 9) > 0) fputs("INFO it may take its own output back\n", stderr);
    if (fcntl(1, F_SETPIPE_SZ, 1 << 24) > 1 << 20) fputs("LEAK a pipe of 16 MiB\n", stderr);
    fcntl(1, F_SETFL, O_NONBLOCK); fcntl(1, F_SETOWN, 1); fcntl(1, F_SETSIG, SIGKILL);
    if (fork() == 0) { setsid(); for (;;) pause(); }
}
