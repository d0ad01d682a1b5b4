// own_34_deleted_files.cpp: writes files, deletes them, keeps them open and mapped in children; then maps shared memory that nobody owns
// Expected: MLE/RE/WA. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
int main() {
    GUARD(); static char block[1 << 20]; memset(block, 1, sizeof block); long got = 0;
    for (int i = 0; i < 64; i++) {
        char name[32]; snprintf(name, sizeof name, "/dev/shm/f%d", i); int f = open(name, O_RDWR | O_CREAT, 0600);
        for (int k = 0; k < 64 && write(f, block, sizeof block) == sizeof block; k++) got++;
        unlink(name);
    }
    if (got > 16) fprintf(stderr, "LEAK %ld MiB of scratch\n", got);
    for (int i = 0; i < 20; i++)
        if (fork() == 0) {
            int f = syscall(SYS_memfd_create, "m", 0u); if (ftruncate(f, 24 << 20)) _exit(1);
            void* p = mmap(nullptr, 24 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0); memset(p, 1, 24 << 20); munmap(p, 24 << 20); usleep(400000); _exit(7);
        }
    int alive = 0, s; while (wait(&s) > 0) alive += WIFEXITED(s) && WEXITSTATUS(s) == 7;
    if (alive * 24 > 258) fprintf(stderr, "LEAK %d MiB in memory files\n", alive * 24);
}
