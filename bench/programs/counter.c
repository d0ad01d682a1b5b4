/* How far a run can move a counter of the kernel, and what a later run sees of it: `counter pipe|memory SECONDS`.
 *
 * Moves the counter for SECONDS of CPU time and writes where it was at first, where it is, and how many steps that
 * were. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static unsigned long next_pipe(void) {
    int ends[2];
    struct stat is;
    if (pipe(ends) || fstat(ends[0], &is)) exit(1);
    close(ends[0]), close(ends[1]);
    return is.st_ino;
}

static unsigned long next_memory(void) {
    struct stat is;
    const int file = memfd_create("", 0);
    if (file < 0 || fstat(file, &is)) exit(1);
    close(file);
    return is.st_ino;
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    unsigned long (*const next)(void) = strcmp(arguments[1], "pipe") ? next_memory : next_pipe;
    const clock_t until = atof(arguments[2]) * CLOCKS_PER_SEC;
    const unsigned long first = next();
    unsigned long last = first, steps = 0;
    for (; clock() < until; steps += 100)
        for (int i = 0; i < 100; i++) last = next();
    printf("%lu %lu %lu\n", first, last, steps);
}
