// own_74_every_way_to_write.cpp: honest: its output by every call there is, some of it from a pipe, a file, a mapping, another name
// Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>
#define MUST(x) do { if (!(x)) { fprintf(stderr, "%s: %m\n", #x); return 1; } } while (0)
int main() {
    std::string block; for (int i = 0; i < 1000; i++) block += "xxxxxxxx\n";
    const ssize_t n = block.size(); char* text = block.data(); off_t at; int done = 0, ends[2], file = open("f", O_RDWR | O_CREAT, 0600);
    for (; done < 10; done++) MUST(write(1, text, n) == n);
    for (; done < 20; done++) { iovec two[2] = {{text, 4500}, {text + 4500, 4500}}; MUST(writev(1, two, 2) == n); }
    for (at = lseek(1, 0, SEEK_CUR); done < 30; done++, at += n) MUST(pwrite(1, text, n, at) == n);
    for (; done < 35; done++, at += n) { iovec one = {text, (size_t)n}; MUST(pwritev2(1, &one, 1, at, 0) == n); }
    MUST(lseek(1, at, SEEK_SET) == 35 * n && write(file, text, n) == n && pipe(ends) == 0);
    for (; done < 45; done++) { off_t start = 0; MUST(sendfile(1, file, &start, n) == n); }
    for (; done < 55; done++) { MUST(write(ends[1], text, n) == n); for (ssize_t left = n, k; left; left -= k) MUST((k = splice(ends[0], nullptr, 1, nullptr, left, 0)) > 0); }
    for (; done < 60; done++) { iovec one = {text, (size_t)n}; MUST(vmsplice(ends[1], &one, 1, 0) == n); for (ssize_t left = n, k; left; left -= k) MUST((k = splice(ends[0], nullptr, 1, nullptr, left, SPLICE_F_MOVE)) > 0); }
    at = lseek(1, 0, SEEK_CUR); MUST(at == 60 * n && ftruncate(1, at + 10 * n) == 0);
    char* mapped = (char*)mmap(nullptr, at + 10 * n, PROT_READ | PROT_WRITE, MAP_SHARED, 1, 0); MUST(mapped != MAP_FAILED);
    for (; done < 70; done++) memcpy(mapped + done * n, text, n);
    munmap(mapped, at + 10 * n); int again = open("/dev/stdout", O_WRONLY | O_APPEND); MUST(again >= 0);
    for (; done < 80; done++) MUST(write(again, text, n) == n);
    MUST(lseek(1, 0, SEEK_END) == 80 * n); fcntl(1, F_SETFL, O_NONBLOCK);
    for (; done < 100; done++) if (fork() == 0) return write(1, text, n) != n;
    while (true) if (usleep(1000), lseek(1, 0, SEEK_CUR) == 100 * n) break;
    close(1); close(1);
}
