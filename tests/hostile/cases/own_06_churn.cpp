// own_06_churn.cpp: four thousand processes one after the other, every third an orphan that nobody waits for
// Expected: AC/TLE. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
int main() {
    GUARD();
    for (int i = 0; i < 4000; i++) {
        pid_t p = fork();
        if (p == 0) { if (i % 3 == 0) (void)!fork(); _exit(0); }
        if (p > 0) waitpid(p, nullptr, 0);
    }
    puts("3");
}
