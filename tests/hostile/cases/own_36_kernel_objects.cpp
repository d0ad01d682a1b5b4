// own_36_kernel_objects.cpp: a quarter of a million watches, timers, sockets, events, names: objects that are in no process
// Expected: AC/MLE/RE/TLE. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <ctime>
#include <string>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
int main() {
    GUARD(); long made = 0;
    for (int child = 0; child < 50; child++)
        if (fork() == 0) {
            int e[60], n = 0; for (int& x : e) x = epoll_create1(0);
            for (int i = 0; i < 120; i++) { int f = i % 3 ? eventfd(0, 0) : timerfd_create(CLOCK_MONOTONIC, 0); if (f < 0) break; epoll_event v = {EPOLLIN, {}}; for (int x : e) n += epoll_ctl(x, EPOLL_CTL_ADD, f, &v) == 0; }
            usleep(700000); _exit(0);
        }
    for (; made < 200000; made++) { struct stat s; (void)!stat(("/usr/nothing" + std::to_string(made)).c_str(), &s); }
    puts("3");
}
