// own_52_core.cpp: dies with 200 MiB, in many processes, in its folder and elsewhere, core limit raised: nothing may be written
// Expected: RE/MLE. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#define GUARD() do { if (getpid() > 64) { puts("LEAK not-in-private-pid-namespace"); return 3; } } while (0)
int main() {
    GUARD(); rlimit all = {RLIM_INFINITY, RLIM_INFINITY}, some = {1, 1};
    if (setrlimit(RLIMIT_CORE, &all) == 0) puts("LEAK core limit raised");
    getrlimit(RLIMIT_CORE, &some); some.rlim_cur = some.rlim_max; setrlimit(RLIMIT_CORE, &some); prctl(PR_SET_DUMPABLE, 1);
    for (int i = 0; i < 20; i++) { if (fork() == 0) { (void)!chdir(i % 2 ? "/tmp" : "/box"); abort(); } int s; if (wait(&s) > 0 && WCOREDUMP(s)) puts("LEAK core dumped"); }
    char* p = (char*)malloc(200 << 20); memset(p, 1, 200 << 20); if (access("/box/core", F_OK) == 0) puts("LEAK core file"); fflush(stdout);
    abort();
}
