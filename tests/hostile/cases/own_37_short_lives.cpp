// own_37_short_lives.cpp: burns CPU only in processes that live less than a tick, by vfork, double fork and threads
// Expected: TLE. For our own grader's acceptance run only, never outside the sandbox.
#include <csignal>
#include <cstdio>
#include <ctime>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
static void burn() { timespec a, b; clock_gettime(CLOCK_MONOTONIC, &a); do clock_gettime(CLOCK_MONOTONIC, &b); while ((b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec < 400000); }
int main() {
    GUARD(); signal(SIGCHLD, SIG_IGN);
    for (int i = 0;; i++) {
        if (i % 3 == 0) { if (fork() == 0) { if (fork() == 0) burn(); _exit(0); } usleep(300); }
        else if (i % 3 == 1) { if (vfork() == 0) { burn(); _exit(0); } }
        else std::thread(burn).join();
    }
}
