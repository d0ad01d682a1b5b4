// own_73_random_calls.cpp: system calls by chance, with likely and unlikely arguments, in processes that live some milliseconds
// Expected: AC/WA/RE/TLE/MLE/OLE. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
// The word is put together, since a random write may print what lies beside the texts above.
#define GUARD() do { if (getpid() > 64) { printf("%cEAK not-in-private-pid-namespace\n", 76); return 3; } } while (0)
static unsigned long seed;
static unsigned long draw() { seed ^= seed << 13; seed ^= seed >> 7; return seed ^= seed << 17; }
static char* page;
static unsigned long argument() {
    const unsigned long likely[] = {0, draw() % 8, draw() % 300, (unsigned long)page, (unsigned long)page + draw() % 4096, 1ul << draw() % 64, draw(), -1ul, (unsigned long)"/tmp", (unsigned long)"/proc/self/fd/1", 4096 * (draw() % 64), -100ul, (unsigned long)"x"};
    return likely[draw() % (sizeof likely / sizeof *likely)];
}
int main() {
    GUARD(); (void)!fread(&seed, 1, 1, fopen("/dev/urandom", "rb")); fprintf(stderr, "INFO seed %lu\n", seed); seed = (seed + 1) * 0x9E3779B97F4A7C15ul;
    page = (char*)mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const std::set<long> ends = {SYS_exit, SYS_exit_group, SYS_rt_sigreturn, SYS_munmap, SYS_mprotect, SYS_pause, SYS_rt_sigsuspend};
    for (int i = 0; i < 8; i++)
        if (fork() == 0)
            for (seed += i * 77777;; draw()) {
                pid_t child = fork(); if (child > 0 && draw() % 3) waitpid(child, nullptr, 0);
                if (child) { if (child < 0) usleep(1000); continue; }
                itimerval brief = {{0, 0}, {0, 20000}}; setitimer(ITIMER_REAL, &brief, nullptr); if (draw() % 4 == 0) setsid();
                for (int k = 0; k < 64; k++) *(unsigned long*)(page + 8 * (draw() % 512)) = argument();
                for (int k = 0; k < 400; k++) { long call = draw() % 470; if (!ends.count(call)) syscall(call, argument(), argument(), argument(), argument(), argument(), argument()); }
                _exit(0);
            }
    usleep(500000); (void)!write(1, "3\n", 2); _exit(0);
}
