// own_24_unknown_calls.cpp: calls from 337 to 2000: what a newer kernel may have learnt, io_uring, mounts, attributes, other processes
// Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
#include <cerrno>
#include <cstdio>
#include <initializer_list>
#include <sys/syscall.h>
#include <unistd.h>
int main() {
    const int known[] = {424, 434, 436, 439, 441, 449, 452, 453, 454, 455, 456, 462};
    for (int n = 337; n < 2000; n++) {  // 335 and 336 are for probes, which the kernel lets past every filter
        bool is_known = false; for (int k : known) is_known |= k == n;
        if (is_known) continue;
        for (long first : {-1L, 0L, 1L}) { errno = 0; if (syscall(n, first, 0, 0, 0, 0, 0) != -1 || errno != ENOSYS) { printf("LEAK call %d: %d\n", n, errno); break; } }
    }
    puts("3");
}
