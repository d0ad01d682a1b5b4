// own_20_timers.cpp: takes every timer and queued signal that the host allows its users
// Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <sys/wait.h>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
int main() {
    GUARD(); long made = 0; timer_t t; sigevent e; memset(&e, 0, sizeof e); e.sigev_notify = SIGEV_SIGNAL; e.sigev_signo = SIGRTMIN;
    for (; made < 20000 && timer_create(CLOCK_MONOTONIC, &e, &t) == 0; made++) {}
    if (made > 4096) fprintf(stderr, "LEAK %ld timers: a share of the host's queued signals that others need\n", made);
    puts("3");
}
