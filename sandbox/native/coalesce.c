/* The what-if preload: the same program with its small writes to stdout gathered, byte for byte the same output.
 *
 * How it works
 *   Loaded by LD_PRELOAD, it stands in for the C library's functions that write to descriptor 1 (coalesce_calls.c) and
 *   for the stream stdout (coalesce_stdio.c). What they would write goes to one buffer; a full buffer, the end of the
 *   process and whatever could show a difference write it out: a position asked for, a size, a crash.
 *   Reading stdin does not.
 *
 *   As soon as somebody else could write to the same file, order between the two would be lost, so gathering ends for
 *   good: before fork, vfork, spawn and exec, dup of descriptor 1, dup2 over it, close of it, /dev/stdout opened anew. It
 *   does not begin when stderr is the same file. Children that start programs start them without the preload: the
 *   constructor takes LD_PRELOAD out of the environment, which is then also the one that the program expects.
 *
 * Out of reach: system calls made by instructions of the program's own, programs linked statically, and SIGKILL, after
 * which up to one buffer is missing.
 *
 * The library is linked with -z initfirst: libstdc++ 13 takes hold of stdout in its own constructor.
 */
#include "coalesce.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define CAPACITY (256 * 1024)
#define HANDLER_STACK (64 * 1024)
#define MEMORY_DEVICES 1 /* major number of /dev/null and its like, where order means nothing */

static char buffer[CAPACITY];
static size_t used;
static volatile int gathering;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Set while this thread holds the lock: a signal handler that writes in the middle of it must not wait for itself. */
static __thread volatile int inside __attribute__((tls_model("initial-exec")));

static int enter(void)
{
	if (!gathering || inside)
		return 0;
	inside = 1;
	pthread_mutex_lock(&lock);
	if (gathering)
		return 1;
	pthread_mutex_unlock(&lock);
	inside = 0;
	return 0;
}

static void leave(void)
{
	pthread_mutex_unlock(&lock);
	inside = 0;
}

static int write_out(void)
{
	size_t done = 0;
	ssize_t written = 0;

	while (done < used) {
		written = REAL(write)(1, buffer + done, used - done);
		if (written > 0)
			done += written;
		else if (written < 0 && errno != EINTR)
			break;
	}
	used = 0;
	return written < 0 ? -1 : 0;
}

ssize_t gather(const void *data, size_t size)
{
	ssize_t result = size;

	if (!data || !enter())
		return REAL(write)(1, data, size);
	if (size > CAPACITY - used && write_out() < 0)
		result = -1;
	else if (size > CAPACITY)
		result = REAL(write)(1, data, size);
	else {
		memcpy(buffer + used, data, size);
		used += size;
	}
	leave();
	return result;
}

int flush_gathered(void)
{
	int result;

	if (!enter())
		return 0;
	result = write_out();
	leave();
	return result;
}

void stop_gathering(void)
{
	int error = errno;

	if (enter()) {
		write_out();
		gathering = 0;
		leave();
	}
	errno = error;
}

/* A crash ends the process with what it wrote on disk. Best effort: another thread may be in the middle of a write. */
static void on_fatal_signal(int number)
{
	if (gathering) {
		gathering = 0;
		write_out();
	}
	signal(number, SIG_DFL);
	raise(number); /* delivered when the handler returns */
}

int is_our_handler(void (*handler)(int))
{
	return handler == on_fatal_signal;
}

/* Only where the program has not said otherwise before its start, and on a stack of its own, for endless recursion. */
static void watch_for_crashes(void)
{
	static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTERM};
	static char stack[HANDLER_STACK];
	const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	const struct sigaction ours = {.sa_handler = on_fatal_signal, .sa_flags = SA_ONSTACK};
	struct sigaction before;

	sigaltstack(&alternate, NULL);
	for (size_t i = 0; i < sizeof(fatal) / sizeof(*fatal); i++)
		if (!sigaction(fatal[i], NULL, &before) && before.sa_handler == SIG_DFL)
			sigaction(fatal[i], &ours, NULL);
}

static int stdout_is_ours_alone(void)
{
	struct stat out, err;
	int flags = REAL(fcntl)(1, F_GETFL);

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || REAL(fstat)(1, &out))
		return 0;
	if (S_ISCHR(out.st_mode) && major(out.st_rdev) == MEMORY_DEVICES)
		return 1;
	return REAL(fstat)(2, &err) || out.st_dev != err.st_dev || out.st_ino != err.st_ino;
}

/* The C library may not know its environment yet; it will take this same array. */
static void leave_the_environment(char **environment)
{
	char **kept = environment;

	for (; *environment; environment++)
		if (strncmp(*environment, "LD_PRELOAD=", strlen("LD_PRELOAD=")) != 0)
			*kept++ = *environment;
	*kept = NULL;
}

__attribute__((constructor)) static void begin(int count, char **arguments, char **environment)
{
	(void)count, (void)arguments;
	leave_the_environment(environment);
	if (!stdout_is_ours_alone())
		return;
	(void)REAL(write); /* looked up now: not in a signal handler */
	pthread_atfork(stop_gathering, NULL, NULL);
	watch_for_crashes();
	gathering = 1;
	replace_stdout();
}

/* Streams are flushed after the destructors: that goes straight through. */
__attribute__((destructor)) static void end(void)
{
	stop_gathering();
}
