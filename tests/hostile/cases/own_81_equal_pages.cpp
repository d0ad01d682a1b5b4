// own_81_equal_pages.cpp: has the kernel merge its pages with equal ones of others, to learn from the time of a write what they hold
// Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
#include <bits/stdc++.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
int main() {
    const size_t size = 64 << 12;
    char* pages = (char*)mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(pages, 42, size);
    if (madvise(pages, size, 12) == 0) puts("LEAK MADV_MERGEABLE");
    for (unsigned long all : {1UL, 1UL | 1UL << 32}) {
        if (prctl(67, all, 0, 0, 0) == 0) puts("LEAK PR_SET_MEMORY_MERGE");
        if (syscall(157, 67UL | 1UL << 32, all, 0, 0, 0) == 0) puts("LEAK PR_SET_MEMORY_MERGE by a number of 64 bits");
    }
    if (prctl(68, 0, 0, 0, 0) > 0) puts("LEAK it merges");
    std::ifstream told("/proc/self/ksm_stat");
    for (std::string line; getline(told, line);)
        if (line.find("yes") != line.npos) puts(("LEAK " + line).c_str());
    puts("3");
}
