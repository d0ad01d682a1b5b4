// own_25_requests.cpp: every ioctl request that a file, a pipe, a device or a socket might know, 70,000 of them
// Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
#include <cerrno>
#include <cstdio>
#include <initializer_list>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
int main() {
    static char page[1 << 16]; int p[2], s[2]; if (pipe(p) || socketpair(AF_UNIX, SOCK_STREAM, 0, s)) return 1;
    const unsigned long harmless[] = {TCGETS, TCSETS, TCSETSW, TCSETSF, TCSBRK, TCFLSH, TIOCGPGRP, TIOCGWINSZ, TIOCOUTQ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX, 0x802c542aul};
    int fds[] = {0, 1, 2, p[0], p[1], s[0], open("/dev/null", O_RDWR), open("/dev/urandom", O_RDONLY), open("/dev/zero", O_RDWR), open("/usr", O_RDONLY)}, shown = 0;
    for (int f : fds)
        for (unsigned long r = 0; r < 0x7000 && shown < 5; r++) {
            bool known = false; for (unsigned long h : harmless) known |= h == r;
            for (unsigned long full : {r, r | 0x40040000ul, r | 0x80040000ul, r | 0xc0100000ul}) {
                if (full == 0x802c542aul || (known && full == r)) continue;
                if (ioctl(f, full, page) != -1 || errno != ENOTTY) if (shown++ < 5) printf("LEAK request %lx on %d: %d\n", full, f, errno);
            }
        }
    puts("3");
}
