/* Shared by the parts of coalesce.so; coalesce.c says how it works. */
#ifndef COALESCE_H
#define COALESCE_H

#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* The next definition of a function that we stand in for: the C library's. */
#define REAL(name)                                                                    \
    ({                                                                                \
        static __typeof__(&(name)) real_##name;                                       \
        if (!real_##name) real_##name = (__typeof__(&(name)))dlsym(RTLD_NEXT, #name); \
        real_##name;                                                                  \
    })

#pragma GCC visibility push(hidden)

/* The two outputs. The functions below take any descriptor: what is none of the two passes by. */
static inline int is_output(int fd) { return fd == 1 || fd == 2; }

/* Take `size` bytes written to an output; returns what write() would. */
ssize_t gather(int fd, const void *data, size_t size);

/* Write out what was gathered for this descriptor; returns 0, or -1 with errno. */
int flush_gathered(int fd);

/* Write out what was gathered for this descriptor and let every later write to it through. */
void stop_gathering(int fd);

/* The same for both outputs. */
void stop_all(void);

/* True when this handler is our own, which the program must not see. */
int is_our_handler(void (*handler)(int));

/* What stands in for the default action of a signal while something is gathered; NULL where nothing need. */
const struct sigaction *our_action(int number);

/* Put a stream whose bytes we gather in the place of stdout or stderr. */
void replace_stream(int fd);

#pragma GCC visibility pop

#endif
