// own_93_replaces_libc.cpp: functions of the C library replaced by its own, those that start, read, write and end a program among them
// Expected: AC/WA/RE. For our own grader's acceptance run only, never outside the sandbox.
#include <sys/syscall.h>
#include <unistd.h>
extern "C" {
void *malloc(size_t n) { static char pool[1 << 20]; static size_t used; void *p = pool + used; used += (n + 15) & ~15ul; return p; }
void free(void *) {}
void *mmap(void *, size_t, int, int, int, long) { return (void *)-1; }
void *dlsym(void *, const char *) { return 0; }
int open(const char *, int, ...) { return -1; }
int fflush(void *) { return 0; }
int atexit(void (*)()) { return 0; }
char *getenv(const char *) { return 0; }
char *secure_getenv(const char *) { return (char *)"x"; }
int _Unwind_Backtrace(void *, void *) { return 0; }
ssize_t write(int fd, const void *data, size_t n) { return syscall(SYS_write, fd, data, n); }
ssize_t read(int, void *, size_t) { return 0; }
void _exit(int) { for (;;) syscall(SYS_exit_group, 0); }
void exit(int) { _exit(0); }
int __libc_start_main(int (*)(int, char **, char **), int, char **) { write(1, "3\n", 2); _exit(0); return 0; }
}
int main() { return 1; }
