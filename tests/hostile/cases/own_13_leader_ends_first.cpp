// own_13_leader_ends_first.cpp: the first thread ends, a second one goes on for ever
// Expected: TLE. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
int main() {
    pthread_t t; pthread_create(&t, nullptr, [](void*) -> void* { for (volatile long i = 0;; i = i + 1) {} }, nullptr);
    puts("3"); fflush(stdout); syscall(SYS_exit, 0);
}
