// Puts noise on the counters of the kernel that all runs of a host draw from, at the start of each jail.
//
// How it works: a pipe and a file in memory have an inode number, the next one of the host. A run can move these
// numbers on by a byte of its hidden input, and a later run, whose output its author sees, can read how far. They
// cannot be hidden: by fstat programs learn what a descriptor is. So each jail moves them on by random numbers before
// its first run, and who sends has to move them MOST_STEPS times as far, which takes that much longer. docs/security.md
// has what is left; bench/channels.py measures it. Counters that programs do without, of sessions and of processes,
// cannot be read: see policy.c.
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "init.h"

enum { MOST_STEPS = 512 };

static int step_pipes(void) {
    int ends[2];
    return pipe(ends) < 0 ? -1 : close(ends[0]) | close(ends[1]);
}

static int step_memory_files(void) {
    const int file = memfd_create("", MFD_CLOEXEC);
    return file < 0 ? -1 : close(file);
}

int make_noise(void) {
    int (*const steps[])(void) = {step_pipes, step_memory_files};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        uint16_t number;
        if (getrandom(&number, sizeof number, 0) != sizeof number) return -1;
        for (number %= MOST_STEPS; number; number--)
            if (steps[i]() < 0) return -1;
    }
    return 0;
}
