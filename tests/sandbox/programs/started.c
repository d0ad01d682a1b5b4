// What a program finds at its start: how often its process has slept, its number, and the limits of open files and of
// the stack.
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

int main(void) {
    struct rusage usage;
    struct rlimit files, stack;
    getrusage(RUSAGE_SELF, &usage);
    getrlimit(RLIMIT_NOFILE, &files);
    getrlimit(RLIMIT_STACK, &stack);
    printf("%ld %d %ld %ld\n", usage.ru_nvcsw, getpid(), (long)files.rlim_cur, (long)stack.rlim_cur);
    return 0;
}
