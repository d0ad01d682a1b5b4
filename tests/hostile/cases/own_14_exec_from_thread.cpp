// own_14_exec_from_thread.cpp: a second thread executes the program anew, as the first one, with the answer
// Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int n, char** v) {
    static char* again[] = {(char*)"again", (char*)"x", nullptr}; static char* none[] = {nullptr}; (void)v;
    if (n > 1) { puts("3"); return 0; }
    pthread_t t; pthread_create(&t, nullptr, [](void*) -> void* { execve("/proc/self/exe", again, none); _exit(5); }, nullptr);
    for (;;) pause();
}
