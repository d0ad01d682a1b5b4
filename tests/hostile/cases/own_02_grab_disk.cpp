// own_02_grab_disk.cpp: takes the host's blocks for stdout beyond its end, where no file-size limit looks
// Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <initializer_list>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
int main() {
    for (int fd : {1, 2}) {
        for (int mode : {FALLOC_FL_KEEP_SIZE, FALLOC_FL_KEEP_SIZE | FALLOC_FL_ZERO_RANGE, FALLOC_FL_INSERT_RANGE})
            if (fallocate(fd, mode, 0, 1 << 30) == 0) fprintf(stderr, "LEAK fallocate mode %d\n", mode);
        static char note[60000];
        if (fsetxattr(fd, "user.note", note, sizeof note, 0) == 0) fputs("LEAK extended attribute\n", stderr);
        struct stat s;
        if (fstat(fd, &s) == 0 && s.st_blocks > 64 * 2048) fputs("LEAK more than 64 MiB of disk\n", stderr);
    }
    puts("3");
}
