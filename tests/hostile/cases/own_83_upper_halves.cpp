// own_83_upper_halves.cpp: numbers of commands whose upper halves, which the kernel never looks at, are not zero: so that no filter knows them
// Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
#include <bits/stdc++.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main() {
    int shared = open("/usr/bin/env", O_RDONLY);
    char page[1 << 13] __attribute__((aligned(4096))) = {};
    struct flock whole = {};
    whole.l_type = F_RDLCK;
    for (unsigned long upper : {1UL << 32, 1UL << 63, ~0UL << 32}) {
        for (unsigned long command : {5UL, 6UL, 7UL, 36UL, 37UL, 38UL})
            if (syscall(SYS_fcntl, shared, command | upper, &whole) == 0) printf("LEAK a lock, command %lu\n", command);
        for (unsigned long command : {1024UL, 1025UL, 1026UL})
            if (syscall(SYS_fcntl, shared, command | upper, 0UL) >= 0) printf("LEAK a lease or a watch, command %lu\n", command);
        if (syscall(SYS_fcntl, 1, 4UL | upper, 0x4000UL) == 0) puts("LEAK O_DIRECT");
        if (syscall(SYS_madvise, page, 4096UL, 12UL | upper) == 0) puts("LEAK MADV_MERGEABLE");
        for (unsigned long option : {22UL, 62UL, 67UL})
            if (syscall(SYS_prctl, option | upper, 1UL, 0UL, 0UL, 0UL) == 0) printf("LEAK prctl %lu\n", option);
        for (unsigned long family : {2UL, 10UL, 16UL, 17UL, 38UL, 40UL})
            if (syscall(SYS_socket, family | upper, 2UL, 0UL) >= 0) printf("LEAK a socket, family %lu\n", family);
        if (syscall(SYS_fallocate, 1, 1UL | upper, 0UL, 1UL << 20) == 0) puts("LEAK fallocate");
        if (syscall(SYS_personality, 0x40000UL | upper) >= 0) puts("LEAK personality");
        if (syscall(SYS_fadvise64, -1, 0UL, 0UL, 4UL | upper) != 0) puts("LEAK the page cache's files are thrown out");
    }
    puts("3");
}
