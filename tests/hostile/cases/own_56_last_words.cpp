// own_56_last_words.cpp: makes and breaks its output while it ends: truncates, seeks, maps, renames, locks, grows it from four processes
// Expected: AC/WA/OLE/RE. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
int main() {
    GUARD();
    for (int i = 0; i < 4; i++)
        if (fork() == 0) { char* m = (char*)mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, 1, 0); for (int k = 0;; k++) { (void)!ftruncate(1, k % 3 ? 900000 : 0); (void)!pwrite(1, "LEAK? no\n", 0, 800000); lseek(1, k % 4096, SEEK_SET); if (m != MAP_FAILED && k % 3 == 1) msync(m, 1 << 20, MS_ASYNC); } }
    int link_here = linkat(AT_FDCWD, "/proc/self/fd/1", AT_FDCWD, "/box/x", AT_SYMLINK_FOLLOW); if (link_here == 0) fputs("LEAK its output has another name\n", stderr);
    usleep(100000); if (ftruncate(1, 0) == 0) (void)!pwrite(1, "3\n", 2, 0);
}
