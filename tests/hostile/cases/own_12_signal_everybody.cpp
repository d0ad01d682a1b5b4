// own_12_signal_everybody.cpp: every signal to process 1, to its group, to everybody but itself; then the answer
// Expected: AC/RE. For our own grader's acceptance run only, never outside the sandbox.
#include <csignal>
#include <cstdio>
#include <sys/syscall.h>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
int main() {
    GUARD();
    for (int s = 1; s < 65; s++) {
        if (kill(1, s) == 0) fprintf(stderr, "LEAK signal %d to process 1\n", s);
        if (syscall(SYS_tgkill, 1, 1, s) == 0 || syscall(SYS_rt_tgsigqueueinfo, 1, 1, s, nullptr) == 0) fprintf(stderr, "LEAK thread signal %d\n", s);
    }
    int p = syscall(SYS_pidfd_open, 1, 0);
    if (p >= 0 && syscall(SYS_pidfd_send_signal, p, SIGKILL, nullptr, 0) == 0) fputs("LEAK pidfd signal\n", stderr);
    kill(-1, SIGSTOP); kill(-1, SIGKILL); puts("3");
}
