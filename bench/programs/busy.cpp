// Keeps one core busy until it is ended, for so many seconds at most: busy CORE SECONDS. Says one line when it has begun.
#include <cstdio>
#include <cstdlib>
#include <sched.h>
#include <sys/prctl.h>
#include <csignal>
#include <unistd.h>
int main(int argc, char **argv) {
    if (argc != 3) return 2;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(std::atoi(argv[2]));
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(std::atoi(argv[1]), &cores);
    if (sched_setaffinity(0, sizeof cores, &cores) < 0) return 1;
    std::puts("busy");
    std::fflush(stdout);
    for (volatile unsigned long n = 0;;) n = n + 1;
}
