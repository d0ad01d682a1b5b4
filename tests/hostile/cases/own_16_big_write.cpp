// own_16_big_write.cpp: 200 MiB in one write, in one sendfile, in one copy, in one truncation, before anybody can look
// Expected: OLE. For our own grader's acceptance run only, never outside the sandbox.
#include <csignal>
#include <cstdio>
#include <initializer_list>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>
int main() {
    signal(SIGXFSZ, SIG_IGN); size_t n = 200u << 20; int zero = open("/dev/zero", O_RDONLY);
    char* p = (char*)mmap(nullptr, n, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (int fd : {1, 2}) { (void)!write(fd, p, n); (void)!sendfile(fd, zero, nullptr, n); (void)!ftruncate(fd, n); (void)!pwrite(fd, "x", 1, n); (void)!posix_fallocate(fd, 0, n); }
}
