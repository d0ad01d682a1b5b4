// own_29_pipe_flood.cpp: its output is a pipe: 512 MiB as fast as it goes, then from many children that outlive it
// Expected: OLE/TLE/RE. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
int main() {
    GUARD(); static char block[1 << 20]; memset(block, 'x', sizeof block);
    for (int i = 0; i < 8; i++) if (fork() == 0) for (;;) (void)!write(1, block, sizeof block);
    for (int i = 0; i < 512; i++) (void)!write(1, block, sizeof block);
}
