/* Shared by the parts of coalesce.so; coalesce.c says how it works. */
#ifndef COALESCE_H
#define COALESCE_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* The next definition of a function that we stand in for: the C library's. */
#define REAL(name)                                                                                                     \
	({                                                                                                             \
		static __typeof__(&name) real_##name;                                                                  \
		if (!real_##name)                                                                                      \
			real_##name = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                      \
		real_##name;                                                                                           \
	})

#pragma GCC visibility push(hidden)

/* Take `size` bytes written to descriptor 1; returns what write() would. */
ssize_t gather(const void *data, size_t size);

/* Write out what was gathered; returns 0, or -1 with errno. */
int flush_gathered(void);

/* Write out what was gathered and let every later write through. */
void stop_gathering(void);

/* True when this handler is our own, which the program must not see. */
int is_our_handler(void (*handler)(int));

/* Put a stream whose bytes we gather in the place of stdout. */
void replace_stdout(void);

#pragma GCC visibility pop

#endif
