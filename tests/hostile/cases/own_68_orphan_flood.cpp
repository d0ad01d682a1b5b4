// own_68_orphan_flood.cpp: sixty processes that make nothing but orphans, for process 1 to bury as fast as it can: limits must bite all the same
// Expected: TLE/RE. For our own grader's acceptance run only, never outside the sandbox.
#include <csignal>
#include <cstdio>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
int main() {
    GUARD(); for (int i = 0; i < 20; i++) if (fork() == 0) for (;;) if (vfork() == 0) { if (vfork() == 0) _exit(0); _exit(0); }
    for (;;) pause();
}
