// own_23_huge_pages.cpp: takes the host's huge pages, which no group's memory counts
// Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <initializer_list>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
int main() {
    for (int size : {0, 21 << 26, 30 << 26})
        if (mmap(nullptr, 1 << 21, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | size, -1, 0) != MAP_FAILED) puts("LEAK mmap of huge pages");
    for (unsigned flags : {4u, 4u | 2u, 4u | 21u << 26}) if (syscall(SYS_memfd_create, "x", flags) >= 0) puts("LEAK memfd of huge pages");
    if (syscall(SYS_shmget, 1, 1 << 21, 04000 | 01000 | 0600) >= 0) puts("LEAK shared memory of huge pages");
    puts("3");
}
