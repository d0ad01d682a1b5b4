// own_55_personality.cpp: asks for the past: no address randomisation, executable data, 32 bit, other ABIs, other segments, other page zero
// Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <initializer_list>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main() {
    for (unsigned long p : {0x0040000ul, 0x0400000ul, 0x0100000ul, 0x8ul, 0x0800000ul, 0ul}) if (personality(p) >= 0) printf("LEAK personality %lx\n", p);
    if (mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED) puts("LEAK page zero");
    if (syscall(SYS_modify_ldt, 1, "", 16) == 0 || syscall(SYS_iopl, 3) == 0 || syscall(SYS_ioperm, 0x70, 2, 1) == 0) puts("LEAK hardware");
    if (prctl(PR_SET_MM, PR_SET_MM_EXE_FILE, 0, 0, 0) == 0 || prctl(PR_CAPBSET_READ, 21, 0, 0, 0) == 1) puts("LEAK prctl");
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0) == 0 || prctl(PR_SET_SECUREBITS, 0, 0, 0, 0) == 0 || prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0) puts("LEAK rights");
    puts("3");
}
