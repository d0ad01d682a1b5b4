/* The what-if preload: the same program with its small writes gathered, byte for byte the same output.
 *
 * How it works
 *   Loaded by LD_PRELOAD, it stands in for the C library's functions that write to descriptors 1 and 2
 *   (coalesce_calls.c) and for the streams stdout and stderr (coalesce_stdio.c). What they would write goes to a buffer
 *   for each of the two; a full buffer, the end of the process and whatever could show a difference write it out: a
 *   position asked for, a size, a crash. Reading stdin does not.
 *
 *   As soon as somebody else could write to the same file, order between the two would be lost, so gathering ends for
 *   good: before fork, vfork, spawn and exec, dup of the descriptor, dup2 over it, close of it, /dev/stdout opened
 * anew. It does not begin when stdout and stderr are one file. Children that start programs start them without the
 * preload: the constructor takes LD_PRELOAD out of the environment, which is then also the one that the program
 * expects.
 *
 *   Before an abort the C library writes some words of its own to descriptor 2, by a road that cannot be stood in for:
 *   a block freed twice, for one. In a file what was gathered before is put in front of them afterwards.
 *
 * Out of reach: system calls made by instructions of the program's own, programs linked statically, and SIGKILL, after
 * which up to one buffer of each is missing.
 *
 * The library is linked with -z initfirst: libstdc++ 13 takes hold of the streams in its own constructor.
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

#define CAPACITY (256UL * 1024)
#define HANDLER_STACK (64 * 1024)
#define MEMORY_DEVICES 1 /* major number of /dev/null and its like, where order means nothing */

static struct output {
    int fd;
    volatile int gathering;
    size_t used;
    char buffer[CAPACITY];
} outputs[] = {{.fd = 1}, {.fd = 2}};
#define OUTPUTS (sizeof(outputs) / sizeof(*outputs))

/* What the C library says before it aborts, and where in the file of stderr our buffer begins. */
static const struct words {
    unsigned int size;
    char text[];
} *const *words_of_abort;
static off_t errors_at;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Set while this thread holds the lock: a signal handler that writes in the middle of it must not wait for itself. */
static __thread volatile int inside __attribute__((tls_model("initial-exec")));

/* The output of this descriptor, locked; NULL when nothing is gathered for it. */
static struct output *enter(int fd) {
    struct output *output = is_output(fd) ? &outputs[fd - 1] : NULL;

    if (!output || !output->gathering || inside) return NULL;
    inside = 1;
    pthread_mutex_lock(&lock);
    if (output->gathering) return output;
    pthread_mutex_unlock(&lock);
    inside = 0;
    return NULL;
}

static void leave(void) {
    pthread_mutex_unlock(&lock);
    inside = 0;
}

static int write_whole(int fd, const char *data, size_t size) {
    size_t done = 0;
    ssize_t written = 0;

    while (done < size) {
        written = REAL(write)(fd, data + done, size - done);
        if (written > 0) done += written;
        else if (written < 0 && errno != EINTR) return -1;
    }
    return 0;
}

static int write_out(struct output *output) {
    int result = write_whole(output->fd, output->buffer, output->used);

    output->used = 0;
    return result;
}

static off_t position_of_errors(void) {
    int error = errno;
    off_t position = REAL(lseek)(2, 0, SEEK_CUR); /* -1 of what has none */

    errno = error;
    return position;
}

ssize_t gather(int fd, const void *data, size_t size) {
    struct output *output = data ? enter(fd) : NULL;
    ssize_t result = size;

    if (!output) return REAL(write)(fd, data, size);
    if (size > CAPACITY - output->used && write_out(output) < 0) {
        result = -1;
    } else if (size > CAPACITY) {
        result = REAL(write)(fd, data, size);
    } else {
        if (!output->used && fd == 2 && words_of_abort) errors_at = position_of_errors();
        memcpy(output->buffer + output->used, data, size);
        output->used += size;
    }
    leave();
    return result;
}

int flush_gathered(int fd) {
    struct output *output = enter(fd);
    int result;

    if (!output) return 0;
    result = write_out(output);
    leave();
    return result;
}

void stop_gathering(int fd) {
    struct output *output;
    int error = errno;

    output = enter(fd);
    if (output) {
        write_out(output);
        output->gathering = 0;
        leave();
    }
    errno = error;
}

void stop_all(void) {
    for (size_t i = 0; i < OUTPUTS; i++) stop_gathering(outputs[i].fd);
}

/* The C library's last words went to the file of stderr directly: let them come after what was gathered before. */
static void put_before_the_last_words(struct output *output) {
    const struct words *last = words_of_abort ? *words_of_abort : NULL;
    size_t length = last ? strlen(last->text) : 0;

    if (!length || !output->used || errors_at < 0 || position_of_errors() != errors_at + (off_t)length) return;
    REAL(lseek)(2, errors_at, SEEK_SET);
    write_out(output);
    write_whole(2, last->text, length);
}

/* A crash ends the process with what it wrote on disk. Best effort: another thread may be in the middle of a write. */
static void on_fatal_signal(int number) {
    for (size_t i = 0; i < OUTPUTS; i++)
        if (outputs[i].gathering) {
            outputs[i].gathering = 0;
            if (outputs[i].fd == 2 && number == SIGABRT) put_before_the_last_words(&outputs[i]);
            write_out(&outputs[i]);
        }
    REAL(signal)(number, SIG_DFL);
    raise(number); /* delivered when the handler returns */
}

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTERM};
static char handler_stack[HANDLER_STACK];
static const struct sigaction ours = {.sa_handler = on_fatal_signal, .sa_flags = SA_ONSTACK};

int is_our_handler(void (*handler)(int)) { return handler == on_fatal_signal; }

const struct sigaction *our_action(int number) {
    for (size_t i = 0; i < sizeof(fatal) / sizeof(*fatal); i++)
        if (fatal[i] == number && (outputs[0].gathering || outputs[1].gathering)) return &ours;
    return NULL;
}

/* Only where the program has not said otherwise before its start, and on a stack of its own, for endless recursion. */
static void watch_for_crashes(void) {
    const stack_t alternate = {.ss_sp = handler_stack, .ss_size = sizeof(handler_stack)};
    struct sigaction before;

    sigaltstack(&alternate, NULL);
    for (size_t i = 0; i < sizeof(fatal) / sizeof(*fatal); i++)
        if (!sigaction(fatal[i], NULL, &before) && before.sa_handler == SIG_DFL) sigaction(fatal[i], &ours, NULL);
}

static int is_ours_alone(int fd) {
    struct stat status, others;
    int flags = REAL(fcntl)(fd, F_GETFL);

    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || REAL(fstat)(fd, &status)) return 0;
    if (S_ISCHR(status.st_mode) && major(status.st_rdev) == MEMORY_DEVICES) return 1;
    return REAL(fstat)(fd == 1 ? 2 : 1, &others) || status.st_dev != others.st_dev || status.st_ino != others.st_ino;
}

/* The words can be put in order where a write goes to the position that was asked for. */
static void find_the_words_of_abort(void) {
    if (!(REAL(fcntl)(2, F_GETFL) & O_APPEND)) words_of_abort = dlvsym(RTLD_NEXT, "__abort_msg", "GLIBC_PRIVATE");
}

/* The C library may not know its environment yet; it will take this same array. */
static void leave_the_environment(char **environment) {
    char **kept = environment;

    for (; *environment; environment++)
        if (strncmp(*environment, "LD_PRELOAD=", strlen("LD_PRELOAD=")) != 0) *kept++ = *environment;
    *kept = NULL;
}

__attribute__((constructor)) static void begin(int count, char **arguments, char **environment) {
    (void)count, (void)arguments;
    leave_the_environment(environment);
    (void)REAL(write), (void)REAL(lseek), (void)REAL(signal); /* looked up now: not in a signal handler */
    for (size_t i = 0; i < OUTPUTS; i++) outputs[i].gathering = is_ours_alone(outputs[i].fd);
    if (!outputs[0].gathering && !outputs[1].gathering) return;
    find_the_words_of_abort();
    pthread_atfork(stop_all, NULL, NULL);
    watch_for_crashes();
    for (size_t i = 0; i < OUTPUTS; i++)
        if (outputs[i].gathering) replace_stream(outputs[i].fd);
}

/* Streams are flushed after the destructors: that goes straight through. */
__attribute__((destructor)) static void end(void) { stop_all(); }
