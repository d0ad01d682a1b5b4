// System calls that change nothing the program can see, and whose answer is the same each time.
#include <errno.h>
#include <linux/audit.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "states.h"

struct counted_calls counted_calls;
static struct __ptrace_syscall_info entered;

static int is_file(uint64_t descriptor, mode_t kind) {
    char path[64];
    struct stat file;
    snprintf(path, sizeof path, "/proc/%d/fd/%llu", traced, (unsigned long long)descriptor);
    return stat(path, &file) == 0 && (file.st_mode & S_IFMT) == kind;
}

// At its end a file says so each time: nobody but the program can write to it.
static int is_at_end(uint64_t descriptor, int64_t answer) {
    return answer == 0 && (is_file(descriptor, S_IFREG) || is_file(descriptor, S_IFCHR));
}

// Asked by its arguments at the start, and by its answer at the end. Memory is compared later, with the mappings.
static int changes_nothing(const struct __ptrace_syscall_info *call, int64_t answer) {
    const uint64_t *with = (const uint64_t *)call->entry.args;
    switch (call->entry.nr) {
    case SYS_read:
    case SYS_readv:
        counted_calls.reads++;
        return answer == -EBADF || is_at_end(with[0], answer);
    case SYS_write:
        counted_calls.writes++;
        return answer == -EBADF || (uint64_t)answer == with[2];
    case SYS_writev:
        counted_calls.writes++;
        return answer == -EBADF || (answer > 0 && is_file(with[0], S_IFREG));
    case SYS_mmap:
        return with[3] == (MAP_PRIVATE | MAP_ANONYMOUS) && !(with[2] & PROT_EXEC) && answer > 0;
    case SYS_futex:
        return (with[1] & ~FUTEX_PRIVATE_FLAG) == FUTEX_WAKE && answer == 0;
    case SYS_munmap:
    case SYS_brk:
    case SYS_sched_yield:
    case SYS_getpid:
    case SYS_gettid:
        return answer >= 0;
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
        return answer == 0;
    default:
        return 0;
    }
}

void check_call(void) {
    struct __ptrace_syscall_info call = {0};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, traced, sizeof call, &call) < 0 || call.arch != AUDIT_ARCH_X86_64)
        tell("unknown calls");
    if (call.op == PTRACE_SYSCALL_INFO_ENTRY) entered = call;
    else if (call.op != PTRACE_SYSCALL_INFO_EXIT || entered.op != PTRACE_SYSCALL_INFO_ENTRY ||
             !changes_nothing(&entered, call.exit.rval))
        tell("unknown calls");
    else entered = (struct __ptrace_syscall_info){0};
}
