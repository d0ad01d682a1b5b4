/* Burns so many ms of CPU time (second argument) in all, in the way that the first argument names: in the program
 * itself or in the kernel ("reads"), alone, in threads or in children, each of four a quarter. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long quarter_us;
static int in_kernel, ends[2];
static char buffer[1 << 20];

static long used_us(void) {
    struct timespec used;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return used.tv_sec * 1000000 + used.tv_nsec / 1000;
}

static void burn(long us) {
    int zeros = open("/dev/zero", O_RDONLY);

    while (used_us() < us) {
        if (in_kernel) read(zeros, buffer, sizeof(buffer));
        for (volatile int i = 0; !in_kernel && i < 1000; i++);
    }
}

static void *thread(void *unused) {
    burn(quarter_us);
    write(ends[1], "x", 1);
    return unused;
}

static void child(void) {
    thread(0);
    _exit(0);
}

static void until_four_are_done(void) {
    char byte;

    for (int i = 0; i < 4; i++) read(ends[0], &byte, 1);
}

int main(int count, char **argument) {
    const char *kind = strtok(argument[1], "-"), *where = strtok(0, "-");
    char left[20];
    pthread_t threads[4];

    quarter_us = atol(argument[2]) * 1000 / 4;
    in_kernel = where && strcmp(where, "reads") == 0;
    pipe(ends);
    if (strcmp(kind, "alone") == 0) burn(4 * quarter_us);
    if (strcmp(kind, "executes") == 0) {
        burn(2 * quarter_us);
        sprintf(left, "%ld", 4 * quarter_us / 1000);
        execl(argument[0], argument[0], "alone", left, (char *)0);
    }
    for (int i = 0; i < 4 && strcmp(kind, "threads") == 0; i++) pthread_create(&threads[i], 0, thread, 0);
    if (strcmp(kind, "buried") == 0)
        signal(SIGCHLD, SIG_IGN); /* nobody can wait for our children: no account but the group's knows them */
    for (int i = 0; i < 4 && (strcmp(kind, "buried") == 0 || strcmp(kind, "children") == 0); i++)
        if (fork() == 0) child();
    for (int i = 0; i < 4 && strcmp(kind, "orphans") == 0; i++)
        if (fork() == 0) {
            if (fork() == 0) child();
            _exit(0);
        }
    if (strcmp(kind, "lingers") == 0 && fork() == 0) {
        burn(4 * quarter_us);
        write(ends[1], "xxxx", 4);
        pause();
    }
    if (strcmp(kind, "alone") != 0) until_four_are_done();
    if (where && strcmp(where, "waited") == 0)
        while (wait(0) > 0);
    if (strcmp(kind, "buried") == 0) wait(0); /* until all are gone */
    return 0;
}
