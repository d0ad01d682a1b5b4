// own_32_pipe_pages_of_others.cpp: takes all the pipe pages that the kernel gives its user: an honest neighbour's pipes stay as they are
// Expected: AC/RE/MLE/TLE. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
int main() {
    GUARD(); int p[2], pipes = 0, small = 0;
    for (int child = 0; child < 50; child++)
        if (fork() == 0) { for (int i = 0; i < 120; i++) if (pipe(p) == 0) fcntl(p[1], F_SETPIPE_SZ, 1 << 20); usleep(900000); _exit(0); }
    usleep(300000);
    for (; pipes < 20 && pipe(p) == 0; pipes++) small += fcntl(p[1], F_GETPIPE_SZ) < 65536;
    fprintf(stderr, "INFO %d of %d own pipes are small\n", small, pipes);
    while (wait(nullptr) > 0) {}
    puts("3");
}
