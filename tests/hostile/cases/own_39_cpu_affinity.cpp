// own_39_cpu_affinity.cpp: eight threads on one core, each for itself; then asks for other cores, classes, deadlines and clamps
// Expected: TLE. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
int main() {
    cpu_set_t all; memset(&all, 255, sizeof all); sched_setaffinity(0, sizeof all, &all);
    for (int policy : {SCHED_FIFO, SCHED_RR, 6}) for (int priority : {0, 1, 99}) { sched_param p = {priority}; if (sched_setscheduler(0, policy, &p) == 0) fprintf(stderr, "LEAK class %d\n", policy); }
    struct { unsigned size, policy; unsigned long flags; int nice; unsigned priority; unsigned long runtime, deadline, period; unsigned least, most; } a = {56, 6, 0, 0, 0, 10000000, 20000000, 20000000, 0, 1024};
    if (syscall(SYS_sched_setattr, 0, &a, 0) == 0) fputs("LEAK deadline class\n", stderr);
    if (setpriority(PRIO_PROCESS, 0, -1) == 0 || setpriority(PRIO_USER, 0, -20) == 0) fputs("LEAK priority\n", stderr);
    if (syscall(SYS_ioprio_set, 1, 0, 1 << 13) == 0) fputs("LEAK real-time disk\n", stderr);
    std::thread t[8]; for (auto& x : t) x = std::thread([] { for (;;) {} });
    t[0].join();
}
