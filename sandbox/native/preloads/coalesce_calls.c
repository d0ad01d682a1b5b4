/* The calls that stand in for the C library's: they gather, or flush first, or end the gathering. */
#include "coalesce.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// NOLINTBEGIN(bugprone-macro-parentheses): a function is made of the names
#define AFTER(doing, result, name, parameters, arguments) \
    result name parameters {                              \
        doing;                                            \
        return REAL(name) arguments;                      \
    }
// NOLINTEND(bugprone-macro-parentheses)

/* ---- writes ---- */

ssize_t write(int fd, const void *data, size_t size) {
    return is_output(fd) ? gather(fd, data, size) : REAL(write)(fd, data, size);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    ssize_t total = 0;

    if (!is_output(fd) || count < 0 || count > IOV_MAX || !parts) return REAL(writev)(fd, parts, count);
    for (int i = 0; i < count; i++) {
        ssize_t written = parts[i].iov_len ? gather(fd, parts[i].iov_base, parts[i].iov_len) : 0;

        if (written < 0) return total ? total : -1;
        total += written;
        if ((size_t)written < parts[i].iov_len) break;
    }
    return total;
}

int vdprintf(int fd, const char *format, va_list values) {
    char *text;
    int size;

    if (!is_output(fd)) return REAL(vdprintf)(fd, format, values);
    size = vasprintf(&text, format, values);
    if (size >= 0) {
        size = gather(fd, text, size);
        free(text);
    }
    return size;
}

int dprintf(int fd, const char *format, ...) {
    va_list values;
    int size;

    va_start(values, format);
    size = vdprintf(fd, format, values);
    va_end(values);
    return size;
}

/* ---- calls that would show or mind what is still in the buffer ---- */

static void flush_both(int one, int other) {
    flush_gathered(one);
    flush_gathered(other);
}

AFTER(flush_gathered(fd), ssize_t, pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
AFTER(flush_gathered(fd), ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at))
AFTER(flush_gathered(fd), ssize_t, pwritev, (int fd, const struct iovec *parts, int count, off_t at),
      (fd, parts, count, at))
AFTER(flush_gathered(fd), ssize_t, pwritev64, (int fd, const struct iovec *parts, int count, off64_t at),
      (fd, parts, count, at))
AFTER(flush_gathered(fd), ssize_t, pwritev2, (int fd, const struct iovec *parts, int count, off_t at, int flags),
      (fd, parts, count, at, flags))
AFTER(flush_gathered(fd), ssize_t, pwritev64v2, (int fd, const struct iovec *parts, int count, off64_t at, int flags),
      (fd, parts, count, at, flags))
AFTER(flush_both(out, in), ssize_t, sendfile, (int out, int in, off_t *at, size_t size), (out, in, at, size))
AFTER(flush_both(out, in), ssize_t, sendfile64, (int out, int in, off64_t *at, size_t size), (out, in, at, size))
AFTER(flush_both(out, in), ssize_t, copy_file_range,
      (int in, off64_t *in_at, int out, off64_t *out_at, size_t size, unsigned int flags),
      (in, in_at, out, out_at, size, flags))
AFTER(flush_gathered(out), ssize_t, splice,
      (int in, off64_t *in_at, int out, off64_t *out_at, size_t size, unsigned int flags),
      (in, in_at, out, out_at, size, flags))
AFTER(flush_gathered(out), ssize_t, tee, (int in, int out, size_t size, unsigned int flags), (in, out, size, flags))
AFTER(flush_gathered(fd), ssize_t, vmsplice, (int fd, const struct iovec *parts, size_t count, unsigned int flags),
      (fd, parts, count, flags))
AFTER(flush_gathered(fd), off_t, lseek, (int fd, off_t offset, int whence), (fd, offset, whence))
AFTER(flush_gathered(fd), off64_t, lseek64, (int fd, off64_t offset, int whence), (fd, offset, whence))
AFTER(flush_gathered(fd), int, ftruncate, (int fd, off_t size), (fd, size))
AFTER(flush_gathered(fd), int, ftruncate64, (int fd, off64_t size), (fd, size))
AFTER(flush_gathered(fd), int, fstat, (int fd, struct stat *status), (fd, status))
AFTER(flush_gathered(fd), int, fstat64, (int fd, struct stat64 *status), (fd, status))
AFTER(flush_gathered(fd), int, fsync, (int fd), (fd))
AFTER(flush_gathered(fd), int, fdatasync, (int fd), (fd))

/* ---- from here on somebody else may write to the same file, or the descriptor is another one ---- */

static void stop_range(unsigned int first, unsigned int last) {
    for (int fd = 1; fd <= 2; fd++)
        if (first <= (unsigned int)fd && last >= (unsigned int)fd) stop_gathering(fd);
}

static void stop_both(int one, int other) {
    stop_gathering(one);
    stop_gathering(other);
}

AFTER(stop_gathering(fd), int, dup, (int fd), (fd))
AFTER(stop_both(from, to), int, dup2, (int from, int to), (from, to))
AFTER(stop_both(from, to), int, dup3, (int from, int to, int flags), (from, to, flags))
AFTER(stop_gathering(fd), int, close, (int fd), (fd))
AFTER(stop_range(first, last), int, close_range, (unsigned int first, unsigned int last, int flags),
      (first, last, flags))
AFTER(stop_range(first < 0 ? 0 : first, 2), void, closefrom, (int first), (first))

static int duplicates(int command) { return command == F_DUPFD || command == F_DUPFD_CLOEXEC; }

static void before_fcntl(int fd, int command) {
    if (duplicates(command)) stop_gathering(fd);
    else if (command == F_SETFL) flush_gathered(fd);
}

int fcntl(int fd, int command, ...) {
    va_list values;
    void *value;

    va_start(values, command);
    value = va_arg(values, void *);
    va_end(values);
    before_fcntl(fd, command);
    return REAL(fcntl)(fd, command, value);
}

int fcntl64(int fd, int command, ...) {
    va_list values;
    void *value;

    va_start(values, command);
    value = va_arg(values, void *);
    va_end(values);
    before_fcntl(fd, command);
    return REAL(fcntl64)(fd, command, value);
}

static void before_open(const char *path) {
    static const char *const ends[] = {"/dev/stdout", "/dev/stderr", "/dev/tty", "/fd/1", "/fd/2"};
    size_t length = path ? strlen(path) : 0;

    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
        if (length >= strlen(ends[i]) && strcmp(path + length - strlen(ends[i]), ends[i]) == 0) stop_all();
}

#define OPEN(name, first_parameters, first_arguments)             \
    int name(first_parameters const char *path, int flags, ...) { \
        va_list values;                                           \
        mode_t mode;                                              \
                                                                  \
        va_start(values, flags);                                  \
        mode = va_arg(values, mode_t);                            \
        va_end(values);                                           \
        before_open(path);                                        \
        return REAL(name)(first_arguments path, flags, mode);     \
    }
#define FOLDER_PARAMETER int folder,
#define FOLDER_ARGUMENT folder,

OPEN(open, , )
OPEN(open64, , )
OPEN(openat, FOLDER_PARAMETER, FOLDER_ARGUMENT)
OPEN(openat64, FOLDER_PARAMETER, FOLDER_ARGUMENT)
AFTER(before_open(path), FILE *, fopen, (const char *path, const char *mode), (path, mode))
AFTER(before_open(path), FILE *, fopen64, (const char *path, const char *mode), (path, mode))

/* fork() itself is watched through pthread_atfork. */
AFTER(stop_all(), pid_t, _Fork, (void), ())
AFTER(stop_all(), int, posix_spawn,
      (pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *restrict actions,
       const posix_spawnattr_t *restrict attributes, char *const argv[restrict], char *const envp[restrict]),
      (pid, path, actions, attributes, argv, envp))
AFTER(stop_all(), int, posix_spawnp,
      (pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *restrict actions,
       const posix_spawnattr_t *restrict attributes, char *const argv[restrict], char *const envp[restrict]),
      (pid, path, actions, attributes, argv, envp))
AFTER(stop_all(), int, system, (const char *command), (command))
AFTER(stop_all(), FILE *, popen, (const char *command, const char *type), (command, type))
AFTER(stop_all(), int, execve, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp))
AFTER(stop_all(), int, execv, (const char *path, char *const argv[]), (path, argv))
AFTER(stop_all(), int, execvp, (const char *file, char *const argv[]), (file, argv))
AFTER(stop_all(), int, execvpe, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp))
AFTER(stop_all(), int, fexecve, (int fd, char *const argv[], char *const envp[]), (fd, argv, envp))
AFTER(stop_all(), int, execveat, (int folder, const char *path, char *const argv[], char *const envp[], int flags),
      (folder, path, argv, envp, flags))

/* The environment of execle follows the NULL that ends the arguments. */
#define EXEC_LIST(name, call)                                                 \
    int name(const char *path, const char *argument, ...) {                   \
        va_list values;                                                       \
        size_t count = 1;                                                     \
                                                                              \
        va_start(values, argument);                                           \
        while (va_arg(values, char *)) count++;                               \
        va_end(values);                                                       \
                                                                              \
        char *argv[count + 1];                                                \
        char **envp = environ;                                                \
                                                                              \
        argv[0] = (char *)argument;                                           \
        va_start(values, argument);                                           \
        for (size_t i = 1; i <= count; i++) argv[i] = va_arg(values, char *); \
        if (strcmp(#name, "execle") == 0) envp = va_arg(values, char **);     \
        va_end(values);                                                       \
        return call(path, argv, envp);                                        \
    }

EXEC_LIST(execl, execve)
EXEC_LIST(execlp, execvpe)
EXEC_LIST(execle, execve)

/* The child of vfork returns on its parent's stack: no function of C may stand in between, so we jump. */
__attribute__((used, visibility("hidden"))) void *before_vfork(void) {
    stop_all();
    return (void *)REAL(vfork);
}

#if defined(__x86_64__)
__asm__(
    ".globl vfork\n.type vfork, @function\nvfork:\n"
    "	endbr64\n	sub $8, %rsp\n	call before_vfork\n	add $8, %rsp\n	jmp *%rax\n"
    ".size vfork, . - vfork\n");
#elif defined(__aarch64__)
__asm__(
    ".globl vfork\n.type vfork, @function\nvfork:\n"
    "	stp x29, x30, [sp, #-16]!\n	bl before_vfork\n	ldp x29, x30, [sp], #16\n	br x0\n"
    ".size vfork, . - vfork\n");
#endif

/* ---- the ways to the end that pass by the destructors ---- */

__attribute__((noreturn)) void _exit(int status) {
    stop_all();
    REAL(_exit)(status);
    __builtin_unreachable();
}

__attribute__((noreturn)) void _Exit(int status) { _exit(status); }

__attribute__((noreturn)) void quick_exit(int status) {
    stop_all(); /* what its handlers write goes straight through */
    REAL(quick_exit)(status);
    __builtin_unreachable();
}

/* Our own handlers for crashes are none of the program's business: some runtimes install theirs only over the default.
 * Some put the default back and crash again: then ours must still be there.
 */
int sigaction(int number, const struct sigaction *restrict action, struct sigaction *restrict before) {
    const struct sigaction *ours = action && action->sa_handler == SIG_DFL ? our_action(number) : NULL;
    int result = REAL(sigaction)(number, ours ? ours : action, before);

    if (!result && before && is_our_handler(before->sa_handler)) *before = (struct sigaction){.sa_handler = SIG_DFL};
    return result;
}

sighandler_t signal(int number, sighandler_t handler) {
    const struct sigaction asked = {.sa_handler = SIG_DFL};
    sighandler_t before;

    if (handler == SIG_DFL && our_action(number)) {
        struct sigaction replaced;

        return sigaction(number, &asked, &replaced) ? SIG_ERR : replaced.sa_handler;
    }
    before = REAL(signal)(number, handler);
    return is_our_handler(before) ? SIG_DFL : before;
}

/* ---- system calls by number ---- */

long syscall(long number, ...) {
    long a[6];
    va_list values;

    va_start(values, number);
    for (int i = 0; i < 6; i++) a[i] = va_arg(values, long);
    va_end(values);

    switch (number) {
    case SYS_write:
        return write(a[0], (const void *)a[1], a[2]);
    case SYS_writev:
        return writev(a[0], (const struct iovec *)a[1], a[2]);
    case SYS_exit: /* of one thread; when it is the last one, nobody writes out what is gathered */
    case SYS_exit_group:
    case SYS_clone:
    case SYS_clone3:
    case SYS_execve:
    case SYS_execveat:
    case SYS_close_range:
#ifdef SYS_fork
    case SYS_fork:
#endif
        stop_all();
        break;
    case SYS_dup:
    case SYS_dup3:
    case SYS_close:
#ifdef SYS_dup2
    case SYS_dup2:
#endif
        stop_gathering(a[0]);
        if (number != SYS_dup && number != SYS_close) stop_gathering(a[1]);
        break;
    default:
        flush_gathered(a[0]);
    }
    return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
