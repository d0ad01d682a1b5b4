// own_57_many_crashes.cpp: three thousand children that die of every signal: what the kernel says of each must not fill the log
// Expected: AC/TLE/RE. For our own grader's acceptance run only, never outside the sandbox.
#include <csignal>
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
int main() {
    GUARD();
    for (int i = 0; i < 3000; i++) { if (fork() == 0) { if (i % 2) *(volatile int*)8 = 1; raise(1 + i % 31); _exit(0); } int s; waitpid(-1, &s, WUNTRACED); }
    puts("3");
}
