// own_66_dies_in_the_middle.cpp: asks, then is killed by a signal of its own while the answer is under way, with children that hold the pipes
// Expected: RE/WA/TLE. For our own grader's acceptance run only, never outside the sandbox.
#include <csignal>
#include <cstdio>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
int main() {
    GUARD(); for (int i = 0; i < 20; i++) if (fork() == 0) { setsid(); signal(SIGPIPE, SIG_IGN); for (;;) { (void)!write(1, "? 1\n", 4); usleep(1000); } }
    (void)!write(1, "? 500\n", 6); raise(SIGKILL);
}
