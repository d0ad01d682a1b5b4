// own_34_deleted_files.cpp: files that are deleted and kept open, memory files that twenty children hold at once: memory of nobody
// Expected: MLE/RE/WA. For our own grader's acceptance run only, never outside the sandbox.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
int main() {
    GUARD(); static char block[1 << 20]; memset(block, 1, sizeof block); long got = 0, held; int tell[2]; if (pipe(tell)) return 1;
    for (int i = 0; i < 64; i++) {
        char name[32]; snprintf(name, sizeof name, "/dev/shm/f%d", i); int f = open(name, O_RDWR | O_CREAT, 0600);
        for (int k = 0; k < 64 && write(f, block, sizeof block) == sizeof block; k++) got++;
        unlink(name);
    }
    if (got > 16) fprintf(stderr, "LEAK %ld MiB of scratch\n", got);
    for (int i = 0; i < 20; i++)
        if (fork() == 0) {
            int f = syscall(SYS_memfd_create, "m", 0u); held = 0;
            for (; held < 24 && write(f, block, sizeof block) == sizeof block; held++) {}
            (void)!write(tell[1], &held, sizeof held); for (;;) pause();
        }
    close(tell[1]); got = 0;
    for (int i = 0; i < 20 && read(tell[0], &held, sizeof held) == sizeof held; i++) got += held;
    if (got > 258) fprintf(stderr, "LEAK %ld MiB in memory files\n", got);
    return 1;
}
