// own_61_steal_the_pipes.cpp: opens both pipes from the other end, takes its own questions back, answers itself, keeps them open in a child
// Expected: TLE/WA/RE/AC/OLE. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <fcntl.h>
#include <initializer_list>
#include <poll.h>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
int main() {
    GUARD(); int to_me = open("/proc/self/fd/0", O_WRONLY | O_NONBLOCK), from_me = open("/proc/self/fd/1", O_RDONLY | O_NONBLOCK); char text[64];
    for (int fd : {0, 1}) { fcntl(fd, F_SETPIPE_SZ, 4096); fcntl(fd, F_SETFL, O_NONBLOCK); fcntl(fd, F_SETOWN, 1); fcntl(fd, F_SETSIG, 9); }
    for (int i = 0; i < 200; i++) { (void)!write(1, "? 500\n", 6); if (from_me >= 0 && i % 2) (void)!read(from_me, text, 64); if (to_me >= 0) (void)!write(to_me, "=\n", 2); }
    if (fork() == 0) { usleep(500000); while (read(0, text, 64) > 0) {} for (;;) pause(); }
    (void)!write(1, "! 500\n", 6);
}
