// own_22_disk_flush.cpp: has the disk under its output write at once, by every call, flag and mapping there is
// Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <initializer_list>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
int main() {
    puts("3"); fflush(stdout);
    for (int flag : {O_SYNC, O_DSYNC, O_DIRECT}) {
        if (open("/dev/stdout", O_WRONLY | flag) >= 0 || syscall(SYS_open, "/dev/stdout", O_WRONLY | flag) >= 0) fprintf(stderr, "LEAK open with flag %x\n", flag);
        if (fcntl(1, F_SETFL, flag) == 0 && fcntl(1, F_GETFL) & flag) fprintf(stderr, "LEAK flag %x\n", flag);
    }
    struct { unsigned long flags, mode, resolve; } how = {O_WRONLY | O_SYNC, 0, 0};
    if (syscall(437, AT_FDCWD, "/dev/stdout", &how, sizeof how) >= 0) fputs("LEAK openat2\n", stderr);
    iovec part = {(void*)"", 0};
    for (int flag : {RWF_DSYNC, RWF_SYNC}) if (pwritev2(2, &part, 1, -1, flag) == 0) fprintf(stderr, "LEAK pwritev2 flag %x\n", flag);
    for (int i = 0; i < 20000; i++) if (fsync(1) || fdatasync(1) || syscall(SYS_sync_file_range, 1, 0L, 0L, 7)) return 1;  // must cost nothing
}
