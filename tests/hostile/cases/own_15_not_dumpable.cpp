// own_15_not_dumpable.cpp: hides its books from whoever has no rights over it, becomes a copy without a name, answers
// Expected: AC/RE. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <unistd.h>
int main(int n, char**) {
    prctl(PR_SET_DUMPABLE, 0); prctl(PR_SET_NAME, ") R 1 1\n0");
    if (n > 1) { prctl(PR_SET_DUMPABLE, 0); puts("3"); return 0; }
    static char* again[] = {(char*)"", (char*)"x", nullptr}; static char* none[] = {nullptr};
    int self = open("/proc/self/exe", O_RDONLY), copy = memfd_create("", 0);
    if (self < 0) { prctl(PR_SET_DUMPABLE, 1); self = open("/proc/self/exe", O_RDONLY); }
    while (sendfile(copy, self, nullptr, 1 << 20) > 0) {}
    fexecve(copy, again, none); return 4;
}
