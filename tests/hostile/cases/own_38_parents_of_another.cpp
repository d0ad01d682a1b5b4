// own_38_parents_of_another.cpp: children made with CLONE_PARENT: brothers that the jail has to bury; they burn, answer late, hold stdout
// Expected: TLE/AC/WA/RE. For our own grader's acceptance run only, never outside the sandbox.
#include <csignal>
#include <cstdio>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
int main() {
    GUARD(); puts("3"); fflush(stdout);
    for (int i = 0; i < 30; i++)
        if (syscall(SYS_clone, CLONE_PARENT | SIGKILL, nullptr, nullptr, nullptr, nullptr) == 0) { setsid(); if (i % 2) for (;;) {} usleep(100000 * i); puts("4"); _exit(i); }
    if (syscall(SYS_clone, CLONE_PARENT | CLONE_VM | CLONE_FILES, nullptr, nullptr, nullptr, nullptr) == -1) fputs("INFO refused\n", stderr);
}
