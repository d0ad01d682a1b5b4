// own_07_late_writers.cpp: answers and ends while twenty children hold stdout, mapped and open, to spoil it later
// Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
#include <csignal>
#include <cstdio>
#include <sys/mman.h>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
int main() {
    GUARD(); puts("3"); fflush(stdout);
    for (int i = 0; i < 20; i++)
        if (fork() == 0) {
            for (int s = 1; s < 65; s++) signal(s, SIG_IGN);
            setsid(); volatile char* p = (volatile char*)mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 1, 0);
            usleep(300000);
            for (;;) { if (p != MAP_FAILED) p[0] = '9'; (void)!write(1, "9\n", 2); }
        }
}
