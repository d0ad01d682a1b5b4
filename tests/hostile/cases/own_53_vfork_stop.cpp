// own_53_vfork_stop.cpp: its parent waits in the kernel for a child that has stopped itself, a thread executes meanwhile, all signals blocked
// Expected: TLE/RE/WA. For our own grader's acceptance run only, never outside the sandbox.
#include <csignal>
#include <cstdio>
#include <pthread.h>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
static void* stopped(void*) { if (vfork() == 0) { raise(SIGSTOP); for (;;) pause(); } return nullptr; }
int main() {
    GUARD(); sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, nullptr); pthread_t t;
    for (int i = 0; i < 10; i++) pthread_create(&t, nullptr, stopped, nullptr);
    usleep(200000); if (fork() == 0) { setsid(); if (vfork() == 0) { raise(SIGSTOP); for (;;) pause(); } }
    if (vfork() == 0) { raise(SIGSTOP); for (;;) pause(); }
}
