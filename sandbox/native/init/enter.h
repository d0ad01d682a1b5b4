// What a process does before it becomes nsjail: raise its limits, enter the jail's control groups.
#ifndef TALLY_ENTER_H
#define TALLY_ENTER_H

#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

// What the worker itself may use bounds no run: raised where this process may (CAP_SYS_RESOURCE), else to the worker's
// hard limits.
static inline void raise_limits(void) {
    static const int resources[] = {RLIMIT_CPU,   RLIMIT_AS,    RLIMIT_DATA,  RLIMIT_RSS,
                                    RLIMIT_NPROC, RLIMIT_FSIZE, RLIMIT_STACK, RLIMIT_NOFILE};
    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++) {
        // nsjail's own; each run's is set
        const int each = resources[i], is_kept = each == RLIMIT_STACK || each == RLIMIT_NOFILE;
        struct rlimit own, raised;
        if (getrlimit(each, &own) < 0) continue;
        raised.rlim_max = each == RLIMIT_NOFILE ? 1 << 20 : RLIM_INFINITY;
        if (raised.rlim_max < own.rlim_max) raised.rlim_max = own.rlim_max;
        raised.rlim_cur = is_kept ? own.rlim_cur : raised.rlim_max;
        if (setrlimit(each, &raised) == 0 || is_kept) continue;
        own.rlim_cur = own.rlim_max;
        setrlimit(each, &own);
    }
}

// Closes the descriptors, each of a group's `tasks` or `cgroup.procs`.
static inline int enter_groups(const int *descriptors, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (write(descriptors[i], "0", 1) != 1) {
            perror("cannot enter a control group");
            return -1;
        }
        close(descriptors[i]);
    }
    return 0;
}

#endif
