/* The same work on every run: calls, threads, children that are waited for, children that nobody waits for.
 * Arguments: how to end ("exit", "spin", "sleep", "hoard", "flood"), then what the last child does ("lingers" until it
 * is killed, or leaves), then how many single bytes to write before the end. work.{cpp,rs,py} do the same in their
 * ways. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HOARD = 1 << 30 };

static void *thread(void *unused) {
    struct timespec pause = {0, 20 * 1000 * 1000}; /* main is waiting for us by then: one futex call */

    for (int i = 0; i < 100; i++) write(1, "thread\n", 7);
    nanosleep(&pause, 0);
    return unused;
}

static void child(int calls) {
    for (int i = 0; i < calls; i++) write(1, "child\n", 6);
}

static void children(int lingers) {
    int done[2];
    sigset_t quiet;

    sigemptyset(&quiet);
    sigaddset(&quiet, SIGCHLD); /* under strace it interrupts a read even when nobody handles it */
    sigprocmask(SIG_BLOCK, &quiet, 0);
    pipe(done);
    if (fork() == 0) { /* waited for */
        child(40);
        _exit(0);
    }
    wait(0);
    if (fork() == 0) { /* not waited for; dead before we are */
        child(30);
        _exit(0);
    }
    if (fork() == 0) {
        if (fork() == 0) { /* of a parent that is dead, in a session of its own */
            setpgid(0, 0);
            child(20);
            if (lingers) {
                close(done[1]);
                pause();
            }
            _exit(close(done[1]));
        }
        _exit(0);
    }
    close(done[1]);
    read(done[0], &done[1], 1); /* until all of them are done */
}

static void calls(void) {
    struct iovec parts[2] = {{"two ", 4}, {"parts\n", 6}};
    char buffer[4096];
    int file = open("scratch", O_RDWR | O_CREAT | O_TRUNC, 0600);

    while (read(0, buffer, sizeof(buffer)) > 0);
    for (int i = 0; i < 100; i++) writev(1, parts, 2);
    pwrite(file, buffer, 100, 0);
    pwritev(file, parts, 2, 100);
    pwritev2(file, parts, 2, 110, 0);
    for (int i = 0; i < 5; i++) pread(file, buffer, 50, 0);
    lseek(file, 0, SEEK_SET);
    parts[0].iov_base = buffer, parts[1].iov_base = buffer + 10;
    readv(file, parts, 2);
    preadv(file, parts, 2, 0);
    preadv2(file, parts, 2, 0, 0);
    write(2, "error\n", 6);
}

int main(int count, char **argument) {
    volatile char *hoard = mmap(0, HOARD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int bytes = count > 3 ? atoi(argument[3]) : 0;
    pthread_t one;

    calls();
    for (int i = 0; i < 2; i++) {
        pthread_create(&one, 0, thread, 0);
        pthread_join(one, 0);
    }
    children(strcmp(argument[2], "lingers") == 0);
    for (int i = 0; i < bytes || strcmp(argument[1], "flood") == 0; i++) write(1, "x", 1);
    while (strcmp(argument[1], "spin") == 0);
    if (strcmp(argument[1], "sleep") == 0) pause();
    for (long i = 0; strcmp(argument[1], "hoard") == 0; i += 4096) hoard[i % HOARD] = 1;
    _exit(0);
}
