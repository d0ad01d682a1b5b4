// own_26_terminal.cpp: its output is a terminal: takes it over, types into it, reads from it, opens it anew, looks for others
// Expected: AC/WA/RE. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <string>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>
int main() {
    if (!isatty(1)) { puts("LEAK stdout is no terminal"); return 1; }
    char c = 'x'; int n = 15; winsize w = {1, 1, 1, 1}; unsigned char linux_call[2] = {2, 0};
    if (ioctl(1, TIOCSTI, &c) == 0) fputs("LEAK TIOCSTI\n", stderr);
    if (ioctl(1, TIOCSCTTY, 1) == 0) fputs("LEAK TIOCSCTTY\n", stderr);
    if (ioctl(1, TIOCLINUX, linux_call) == 0) fputs("LEAK TIOCLINUX\n", stderr);
    if (ioctl(1, TIOCSWINSZ, &w) == 0) fputs("LEAK TIOCSWINSZ\n", stderr);
    for (n = 1; n < 31; n++) if (ioctl(1, TIOCSETD, &n) == 0) fprintf(stderr, "LEAK line discipline %d\n", n);
    if (ioctl(1, TIOCCONS) == 0 || ioctl(1, TIOCEXCL) == 0 || ioctl(1, TIOCVHANGUP) == 0) fputs("LEAK console\n", stderr);
    int peer = ioctl(1, TIOCGPTPEER, O_RDWR); if (peer >= 0) fputs("LEAK TIOCGPTPEER\n", stderr);
    if (read(1, &c, 1) >= 0) fputs("LEAK reading from the terminal\n", stderr);
    if (open("/dev/tty", O_RDWR) >= 0 || open("/dev/ptmx", O_RDWR) >= 0 || open("/dev/console", O_RDWR) >= 0) fputs("LEAK another terminal\n", stderr);
    for (int i = 0; i < 200; i++) if (open(("/dev/pts/" + std::to_string(i)).c_str(), O_RDWR | O_NOCTTY) >= 0) fprintf(stderr, "LEAK /dev/pts/%d\n", i);
    for (int how : {O_RDWR, O_RDONLY}) { int f = open("/proc/self/fd/1", how | O_NONBLOCK); if (f >= 0 && read(f, &c, 1) >= 0) fputs("LEAK read after opening anew\n", stderr); }
    if (fchmod(1, 0777) == 0 && open("/proc/self/fd/1", O_RDONLY | O_NONBLOCK) >= 0) fputs("INFO its own terminal can be opened\n", stderr);
    puts("3");
}
