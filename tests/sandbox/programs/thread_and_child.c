/* A thread and a child process, each with calls of its own; every count is the same on every run. */
#include <pthread.h>
#include <stdio.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *worker(void *unused) {
    struct timespec pause = {0, 50 * 1000 * 1000}; /* main is waiting for us by then: one futex call */

    for (int i = 0; i < 300; i++) getppid();
    nanosleep(&pause, 0);
    return unused;
}

int main(void) {
    struct iovec parts[2] = {{"two ", 4}, {"parts\n", 6}};
    pthread_t thread;
    pid_t child;

    for (int i = 0; i < 1000; i++) write(1, "x\n", 2);
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    child = fork();
    if (child == 0) {
        for (int i = 0; i < 50; i++) writev(1, parts, 2);
        _exit(0);
    }
    waitpid(child, 0, 0);
    for (int i = 0; i < 7; i++) read(0, parts, 0);
    return 0;
}
