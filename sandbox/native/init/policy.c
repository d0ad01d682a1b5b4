// The system-call policy: every call that a program may make, and of the calls that do many things by an argument,
// which of these.
//
// Default deny. A call without a row, and a value that no row lists, is refused with an error, never with a kill, since
// runtimes probe. To add a row is to say why a program needs it and why it costs no other run anything. `init policy`
// prints the table; tests/sandbox/native/test_policy.py holds the filter against it. One filter for programs,
// compilers, checkers and interactors alike.
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <linux/stat.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "policy.h"

#define CALLS(...) \
    .calls = (const char *const[]) { __VA_ARGS__, NULL }
#define VALUES(...) \
    .values = (const uint64_t[]){__VA_ARGS__}, .count = sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)
#define ONE_OF(number, ...) {.argument = (number), .is_used = 1, VALUES(__VA_ARGS__)}
#define ONE_OF_BESIDE(number, flags, ...) {.argument = (number), .is_used = 1, .ignored = (flags), VALUES(__VA_ARGS__)}
#define ONLY_BITS(number, allowed) {.argument = (number), .is_used = 1, .bits = (allowed)}
#define ONLY_WIDE_BITS(number, allowed) {.argument = (number), .is_used = 1, .is_wide = 1, .bits = (allowed)}

// What older headers of the C library or the kernel lack.
enum {
    CLONE_DETACHED_FLAG = 0x00400000,
    MAP_FIXED_NOREPLACE_FLAG = 0x100000,
    TCGETS2_REQUEST = 0x802c542a,
    F_DUPFD_CLOEXEC_COMMAND = 1030,
    MFD_NOEXEC_SEAL_FLAG = 8,
    MFD_EXEC_FLAG = 16,
    RENAME_NOREPLACE_FLAG = 1,
    RENAME_EXCHANGE_FLAG = 2,
    ARCH_FIRST = 0x1001,
    ARCH_LAST_BASE = 0x1004,
    PR_GET_AUXV_OPTION = 0x41555856,
};

enum {
    // O_TMPFILE contains O_DIRECTORY
    OPEN_FLAGS = O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND | O_NONBLOCK | O_DIRECTORY | O_NOFOLLOW |
        O_CLOEXEC | O_PATH | O_TMPFILE | 0x8000 /* O_LARGEFILE */,  // NOLINT(misc-redundant-expression)
    DESCRIPTOR_FLAGS = O_CLOEXEC | O_NONBLOCK,
    MESSAGE_FLAGS = MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT | MSG_EOR | MSG_WAITALL | MSG_NOSIGNAL | MSG_MORE |
        MSG_CMSG_CLOEXEC | MSG_WAITFORONE,
    PROTECTIONS = PROT_READ | PROT_WRITE | PROT_EXEC,
};

const struct row policy[] = {
    // Calls that do one thing, or whose arguments say only how.
    {CALLS("read", "write", "pread64", "pwrite64", "readv", "writev", "preadv", "pwritev", "lseek", "sendfile",
           "truncate", "ftruncate"),
     .answer = ALLOW, .reason = "streams and files: what Tally measures; RLIMIT_FSIZE bounds a file"},
    {CALLS("close", "dup", "dup2", "pipe", "poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_wait",
           "epoll_pwait", "epoll_pwait2", "eventfd", "signalfd"),
     .answer = ALLOW, .reason = "descriptors, as many as RLIMIT_NOFILE allows, and waiting for them"},
    {CALLS("stat", "fstat", "lstat", "newfstatat", "access", "faccessat", "getdents", "getdents64", "readlink",
           "readlinkat", "getcwd", "chdir", "fchdir", "getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr",
           "flistxattr"),
     .answer = ALLOW,
     .reason = "to look at files: the jail shows only the runtimes, the program and the scratch folder"},
    {CALLS("creat", "rename", "renameat", "mkdir", "mkdirat", "rmdir", "link", "linkat", "symlink", "symlinkat",
           "unlink", "unlinkat", "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat", "umask",
           "utime", "utimes", "futimesat", "utimensat"),
     .answer = ALLOW,
     .reason =
         "to change files: nothing but the scratch folder can be written, and that is bounded in bytes and names"},
    {CALLS("brk", "munmap", "mlock", "munlock", "mlockall", "munlockall", "pkey_alloc", "pkey_free", "map_shadow_stack",
           "mseal"),
     .answer = ALLOW, .reason = "memory of its own: the group's limit bounds it, RLIMIT_MEMLOCK what is locked"},
    {CALLS("rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigtimedwait", "rt_sigsuspend",
           "rt_sigqueueinfo", "rt_tgsigqueueinfo", "sigaltstack", "pause", "kill", "tkill", "tgkill"),
     .answer = ALLOW, .reason = "signals, to the processes of its own jail; RLIMIT_SIGPENDING bounds what is queued"},
    {CALLS("fork", "vfork", "execve", "exit", "exit_group", "wait4", "waitid", "set_tid_address", "set_robust_list",
           "get_robust_list", "rseq", "restart_syscall", "sched_yield"),
     .answer = ALLOW, .reason = "processes and threads: pids.max bounds their number"},
    {CALLS("getpid", "getppid", "gettid", "getuid", "geteuid", "getgid", "getegid", "getresuid", "getresgid",
           "getgroups", "getpgrp", "getpgid", "getsid", "setpgid", "capget", "uname", "getcpu"),
     .answer = ALLOW, .reason = "who and where it is, in namespaces of its own"},
    {CALLS("setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setfsuid", "setfsgid"),
     .answer = ALLOW, .reason = "to users that it is already: it has no capability to become another one"},
    {CALLS("getrlimit", "setrlimit", "prlimit64", "getrusage", "times", "sysinfo", "getpriority", "setpriority",
           "sched_getparam", "sched_getscheduler", "sched_get_priority_max", "sched_get_priority_min",
           "sched_rr_get_interval", "sched_getaffinity", "sched_setaffinity"),
     .answer = ALLOW,
     .reason = "its own limits, use, priority and cores: it can lower them; sysinfo is how the C library learns the "
               "memory's size"},
    {CALLS("time", "gettimeofday", "clock_gettime", "clock_getres", "nanosleep", "clock_nanosleep", "alarm",
           "getitimer", "setitimer", "timer_create", "timer_settime", "timer_gettime", "timer_getoverrun",
           "timer_delete", "timerfd_settime", "timerfd_gettime"),
     .answer = ALLOW, .reason = "clocks, sleeping, and timers, which RLIMIT_SIGPENDING bounds"},
    {CALLS("connect", "bind", "listen", "accept", "getsockname", "getpeername", "shutdown"), .answer = ALLOW,
     .reason = "unix sockets between its own processes, in a network namespace of its own"},
    {CALLS("futex_wake", "futex_wait", "futex_requeue"), .answer = ALLOW,
     .reason = "locks between its own threads; each does one thing"},
    {CALLS("statfs", "fstatfs"), .answer = ALLOW,
     .reason = "Python's shared memory asks how much room its folder has; of the runtimes' tmpfs it tells what runs "
               "beside this one take"},
    {CALLS("setgroups"), .answer = ALLOW, .reason = "for the start of a program, which then has no capability for it"},
    {CALLS("setsid"), .answer = ALLOW,
     .reason = "for the start of a program; the last filter refuses it: /proc shows a session's number, which counts "
               "the sessions of the whole host"},
    {CALLS("clone3", "openat2"), .answer = ALLOW,
     .reason =
         "for the runner; the last filter refuses them: their flags lie behind a pointer, where no filter sees them"},

    // Calls that do many things.
    {CALLS("futex"),
     .tests = {ONE_OF_BESIDE(1, FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME, FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAIT_BITSET,
                             FUTEX_WAKE_BITSET, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP, FUTEX_LOCK_PI,
                             FUTEX_UNLOCK_PI, FUTEX_TRYLOCK_PI, FUTEX_WAIT_REQUEUE_PI, FUTEX_CMP_REQUEUE_PI,
                             13 /* FUTEX_LOCK_PI2 */)},
     .answer = ALLOW, .reason = "locks between its own threads"},
    {CALLS("futex"), .answer = ENOSYS, .reason = "other operations"},
    {CALLS("futex_waitv"), .tests = {ONLY_BITS(2, 0)}, .answer = ALLOW, .reason = "locks between its own threads"},
    {CALLS("mmap"),
     .tests = {ONLY_WIDE_BITS(2, PROTECTIONS),
               {.argument = 3,
                .is_used = 1,
                .is_wide = 1,
                .ignored = MAP_FIXED | MAP_FIXED_NOREPLACE_FLAG | MAP_ANONYMOUS | MAP_32BIT | MAP_GROWSDOWN |
                           MAP_DENYWRITE | MAP_EXECUTABLE | MAP_LOCKED | MAP_NORESERVE | MAP_POPULATE | MAP_NONBLOCK |
                           MAP_STACK,
                VALUES(MAP_SHARED, MAP_PRIVATE, MAP_SHARED_VALIDATE)}},
     .answer = ALLOW,
     .reason = "memory of its own and files that it may open. Not: huge pages, of a pool of the host's that no group "
               "pays for"},
    {CALLS("mmap"), .answer = ENOMEM, .reason = "other mappings"},
    {CALLS("mprotect", "pkey_mprotect"), .tests = {ONLY_WIDE_BITS(2, PROTECTIONS | PROT_GROWSDOWN | PROT_GROWSUP)},
     .answer = ALLOW, .reason = "memory of its own"},
    {CALLS("mremap"), .tests = {ONLY_WIDE_BITS(3, MREMAP_MAYMOVE | MREMAP_FIXED | 4 /* MREMAP_DONTUNMAP */)},
     .answer = ALLOW, .reason = "memory of its own"},
    {CALLS("mlock2"), .tests = {ONLY_BITS(2, 1 /* MLOCK_ONFAULT */)}, .answer = ALLOW,
     .reason = "RLIMIT_MEMLOCK bounds it"},
    {CALLS("madvise"),
     .tests = {ONE_OF(2, MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTNEED, MADV_FREE,
                      MADV_REMOVE, MADV_DONTFORK, MADV_DOFORK, 13 /* MADV_UNMERGEABLE */, MADV_HUGEPAGE,
                      MADV_NOHUGEPAGE, MADV_DONTDUMP, MADV_DODUMP, MADV_WIPEONFORK, MADV_KEEPONFORK,
                      22 /* MADV_POPULATE_READ */, 23 /* MADV_POPULATE_WRITE */, 102 /* MADV_GUARD_INSTALL */,
                      103 /* MADV_GUARD_REMOVE */)},
     .answer = ALLOW,
     .reason = "memory of its own. Not: merging equal pages of other jails; dropping or collapsing (PAGEOUT, COLD, "
               "COLLAPSE) pages of files that others read"},
    {CALLS("madvise"), .answer = EINVAL, .reason = "other advice"},
    {CALLS("msync"), .tests = {ONLY_BITS(2, MS_ASYNC | MS_INVALIDATE)}, .answer = ALLOW,
     .reason = "does nothing that lasts"},
    {CALLS("msync"), .tests = {ONLY_BITS(2, MS_SYNC | MS_INVALIDATE)}, .answer = 0, .reason = "as fsync"},
    {CALLS("msync"), .answer = EINVAL, .reason = "other flags"},
    {CALLS("open"), .tests = {ONLY_BITS(1, OPEN_FLAGS)}, .answer = ALLOW,
     .reason = "files. Not: O_DIRECT, O_SYNC, O_DSYNC (everybody on the disk would wait)"},
    {CALLS("openat"), .tests = {ONLY_BITS(2, OPEN_FLAGS)}, .answer = ALLOW, .reason = "as open"},
    {CALLS("open", "openat"), .answer = EINVAL, .reason = "other flags"},
    {CALLS("fcntl"),
     .tests = {ONE_OF(1, F_DUPFD, F_DUPFD_CLOEXEC_COMMAND, F_GETFD, F_SETFD, F_GETFL, F_GETPIPE_SZ, F_SETPIPE_SZ,
                      F_ADD_SEALS, F_GET_SEALS)},
     .answer = ALLOW, .reason = "descriptors, pipes (whose size counts as memory) and seals of its own"},
    {CALLS("fcntl"), .tests = {ONE_OF(1, F_SETFL), ONLY_BITS(2, OPEN_FLAGS)}, .answer = ALLOW,
     .reason = "blocking, appending; the other flags change nothing"},
    {CALLS("fcntl"), .tests = {ONE_OF(1, F_SETFL)}, .answer = EINVAL, .reason = "other flags: O_DIRECT, O_ASYNC"},
    {CALLS("fcntl"), .answer = ENOLCK,
     .reason = "locks, leases and hints on the runtimes' files and devices are seen by other submissions; nobody else "
               "is in the scratch folder"},
    {CALLS("ioctl"),
     .tests = {ONE_OF(1, TCGETS, TCSETS, TCSETSW, TCSETSF, TCSBRK, TCFLSH, TIOCGPGRP, TIOCGWINSZ, TIOCOUTQ, FIONREAD,
                      FIONBIO, FIOCLEX, FIONCLEX, TCGETS2_REQUEST)},
     .answer = ALLOW,
     .reason = "what runtimes ask a descriptor, and a terminal's settings. Not: pushing characters into its input, "
               "becoming its owner, what file systems offer"},
    {CALLS("ioctl"), .answer = ENOTTY, .reason = "other requests"},
    {CALLS("epoll_ctl"), .tests = {ONE_OF(1, EPOLL_CTL_ADD, EPOLL_CTL_DEL, EPOLL_CTL_MOD)}, .answer = ALLOW,
     .reason = "waiting for descriptors of its own"},
    {CALLS("dup3"), .tests = {ONLY_BITS(2, O_CLOEXEC)}, .answer = ALLOW, .reason = "descriptors"},
    {CALLS("epoll_create1"), .tests = {ONLY_BITS(0, O_CLOEXEC)}, .answer = ALLOW, .reason = "descriptors"},
    {CALLS("eventfd2"), .tests = {ONLY_BITS(1, DESCRIPTOR_FLAGS | EFD_SEMAPHORE)}, .answer = ALLOW,
     .reason = "descriptors"},
    {CALLS("timerfd_create"), .tests = {ONLY_BITS(1, DESCRIPTOR_FLAGS)}, .answer = ALLOW, .reason = "descriptors"},
    {CALLS("signalfd4"), .tests = {ONLY_BITS(3, DESCRIPTOR_FLAGS)}, .answer = ALLOW, .reason = "descriptors"},
    {CALLS("pipe2"), .tests = {ONLY_BITS(1, DESCRIPTOR_FLAGS | O_DIRECT)}, .answer = ALLOW,
     .reason = "pipes, also of packets. Not: O_NOTIFICATION_PIPE, a queue of the kernel's that no group pays for"},
    {CALLS("close_range"), .tests = {ONLY_BITS(2, 2 | 4 /* UNSHARE, CLOEXEC */)}, .answer = ALLOW,
     .reason = "descriptors"},
    {CALLS("splice"), .tests = {ONLY_BITS(5, 15 /* SPLICE_F_* */)}, .answer = ALLOW, .reason = "streams and files"},
    {CALLS("tee"), .tests = {ONLY_BITS(3, 15)}, .answer = ALLOW, .reason = "streams"},
    {CALLS("vmsplice"), .tests = {ONLY_BITS(3, 15)}, .answer = ALLOW, .reason = "streams"},
    {CALLS("copy_file_range"), .tests = {ONLY_BITS(5, 0)}, .answer = ALLOW, .reason = "files"},
    {CALLS("preadv2"), .tests = {ONLY_BITS(5, 0)}, .answer = ALLOW,
     .reason = "as preadv. Not: RWF_NOWAIT, which tells what others have read"},
    {CALLS("pwritev2"), .tests = {ONLY_BITS(5, RWF_APPEND)}, .answer = ALLOW,
     .reason = "as pwritev. Not: RWF_SYNC, RWF_DSYNC, RWF_DONTCACHE (the disk writes at once)"},
    {CALLS("preadv2", "pwritev2"), .answer = EOPNOTSUPP, .reason = "other flags"},
    {CALLS("fallocate"), .tests = {ONLY_BITS(1, 0)}, .answer = ALLOW,
     .reason = "room in a file, which RLIMIT_FSIZE bounds"},
    {CALLS("fallocate"), .answer = EOPNOTSUPP,
     .reason = "with FALLOC_FL_KEEP_SIZE blocks are taken where RLIMIT_FSIZE does not look: a full disk in one call"},
    {CALLS("fadvise64"),
     .tests = {ONE_OF(3, POSIX_FADV_NORMAL, POSIX_FADV_RANDOM, POSIX_FADV_SEQUENTIAL, POSIX_FADV_NOREUSE)},
     .answer = ALLOW, .reason = "how it will read"},
    {CALLS("fadvise64"), .tests = {ONE_OF(3, POSIX_FADV_WILLNEED, POSIX_FADV_DONTNEED)}, .answer = 0,
     .reason = "changes which files are in the page cache that everybody uses"},
    {CALLS("fadvise64"), .answer = EINVAL, .reason = "other advice"},
    {CALLS("statx"), .tests = {ONLY_BITS(3, STATX_BASIC_STATS | STATX_BTIME)}, .answer = ALLOW,
     .reason = "to look at files. Not: STATX_MNT_ID_UNIQUE, which tells how many runs the jail had before"},
    {CALLS("statx"), .answer = EINVAL, .reason = "other fields"},
    {CALLS("faccessat2"), .tests = {ONLY_BITS(3, AT_SYMLINK_NOFOLLOW | AT_EACCESS | AT_EMPTY_PATH)}, .answer = ALLOW,
     .reason = "to look at files"},
    {CALLS("fchmodat2"), .tests = {ONLY_BITS(3, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)}, .answer = ALLOW,
     .reason = "files of its own"},
    {CALLS("renameat2"), .tests = {ONLY_BITS(4, RENAME_NOREPLACE_FLAG | RENAME_EXCHANGE_FLAG)}, .answer = ALLOW,
     .reason = "files of its own"},
    {CALLS("mknod"), .tests = {ONE_OF_BESIDE(1, 07777, 0, S_IFREG, S_IFIFO, S_IFSOCK)}, .answer = ALLOW,
     .reason = "named pipes in the scratch folder; no devices"},
    {CALLS("mknodat"), .tests = {ONE_OF_BESIDE(2, 07777, 0, S_IFREG, S_IFIFO, S_IFSOCK)}, .answer = ALLOW,
     .reason = "as mknod"},
    {CALLS("execveat"), .tests = {ONLY_BITS(4, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)}, .answer = ALLOW,
     .reason = "as execve"},
    {CALLS("clone"),
     .tests = {ONLY_BITS(0, CSIGNAL | CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_VFORK | CLONE_THREAD |
                                CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID |
                                CLONE_CHILD_SETTID | CLONE_DETACHED_FLAG)},
     .answer = ALLOW,
     .reason = "threads and processes of its own. Not: new namespaces; a child of the init's instead of its own "
               "(CLONE_PARENT); pidfds"},
    {CALLS("unshare"), .tests = {ONE_OF(0, CLONE_NEWCGROUP)}, .answer = ALLOW,
     .reason = "for the start of a program; the last filter refuses it"},
    {CALLS("seccomp"), .tests = {ONE_OF(0, 1 /* SECCOMP_SET_MODE_FILTER */)}, .answer = ALLOW,
     .reason = "for the last filter, which refuses further ones"},
    {CALLS("sched_setscheduler"),
     .tests = {ONE_OF_BESIDE(1, 0x40000000 /* SCHED_RESET_ON_FORK */, SCHED_OTHER, SCHED_BATCH, SCHED_IDLE)},
     .answer = ALLOW, .reason = "to be more modest"},
    {CALLS("personality"), .tests = {ONE_OF(0, 0xffffffff)}, .answer = ALLOW, .reason = "to ask, not to set"},
    {CALLS("prctl"),
     .tests = {ONE_OF(0, PR_SET_PDEATHSIG, PR_GET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_DUMPABLE, PR_GET_KEEPCAPS,
                      PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_CAPBSET_READ, PR_GET_TSC, PR_SET_TIMERSLACK,
                      PR_GET_TIMERSLACK, PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS,
                      PR_GET_NO_NEW_PRIVS, PR_GET_TID_ADDRESS, PR_SET_THP_DISABLE, PR_GET_THP_DISABLE,
                      PR_GET_SPECULATION_CTRL, PR_GET_AUXV_OPTION)},
     .answer = ALLOW, .reason = "its own name, parent's death, slack of timers and the like"},
    {CALLS("prctl"), .tests = {ONE_OF(0, PR_SET_SECCOMP)}, .answer = EPERM,
     .reason = "a filter of its own: kernel memory and time of every call"},
    {CALLS("prctl"), .answer = EINVAL,
     .reason = "other options: sharing a core with nobody (SCHED_CORE), merging memory with other jails "
               "(MEMORY_MERGE), names for memory that no group pays for (SET_VMA)"},
#ifdef __x86_64__
    {CALLS("arch_prctl"),
     .tests = {ONE_OF(0, ARCH_FIRST, ARCH_FIRST + 1, ARCH_FIRST + 2, ARCH_LAST_BASE, 0x1011 /* ARCH_GET_CPUID */,
                      0x1021 /* ARCH_GET_XCOMP_SUPP */, 0x1022 /* ARCH_GET_XCOMP_PERM */,
                      0x3001 /* ARCH_CET_STATUS, of some C libraries */, 0x5005 /* ARCH_SHSTK_STATUS */)},
     .answer = ALLOW,
     .reason =
         "thread-local storage, and asking what the processor can do. Not: more state per thread (AMX), no CPUID"},
    {CALLS("arch_prctl"), .answer = EINVAL, .reason = "other options"},
#endif
    {CALLS("membarrier"),
     .tests = {ONE_OF(0, MEMBARRIER_CMD_QUERY, MEMBARRIER_CMD_PRIVATE_EXPEDITED,
                      MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE,
                      MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE)},
     .answer = ALLOW, .reason = "between its own threads. Not: interrupting the processes of others (GLOBAL)"},
    {CALLS("membarrier"), .answer = EINVAL, .reason = "other commands"},
    {CALLS("getrandom"), .tests = {ONLY_BITS(2, GRND_NONBLOCK | GRND_RANDOM | 4 /* GRND_INSECURE */)}, .answer = ALLOW,
     .reason = "random numbers"},
    {CALLS("memfd_create"),
     .tests = {ONLY_BITS(1, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL_FLAG | MFD_EXEC_FLAG)}, .answer = ALLOW,
     .reason = "memory of its own, as a file. Not: MFD_HUGETLB, as with mmap"},
    {CALLS("memfd_create"), .answer = ENOMEM, .reason = "other flags"},
    {CALLS("socket", "socketpair"),
     .tests = {ONE_OF(0, AF_UNIX),
               ONE_OF_BESIDE(1, SOCK_CLOEXEC | SOCK_NONBLOCK, SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET),
               ONE_OF(2, 0, AF_UNIX)},
     .answer = ALLOW,
     .reason = "between its own processes. Not: the network (nobody is there, and ports tell one case of the one "
               "before); to ask for a family loads a module"},
    {CALLS("socket", "socketpair"), .answer = EAFNOSUPPORT, .reason = "other families, types and protocols"},
    {CALLS("accept4"), .tests = {ONLY_BITS(3, SOCK_CLOEXEC | SOCK_NONBLOCK)}, .answer = ALLOW,
     .reason = "sockets between its own processes"},
    {CALLS("sendto", "recvfrom", "sendmmsg", "recvmmsg"), .tests = {ONLY_BITS(3, MESSAGE_FLAGS)}, .answer = ALLOW,
     .reason = "sockets between its own processes. Not: MSG_OOB, which only attackers use on unix sockets"},
    {CALLS("sendmsg", "recvmsg"), .tests = {ONLY_BITS(2, MESSAGE_FLAGS)}, .answer = ALLOW, .reason = "likewise"},
    {CALLS("setsockopt"),
     .tests = {ONE_OF(1, SOL_SOCKET), ONE_OF(2, SO_REUSEADDR, SO_SNDBUF, SO_RCVBUF, SO_KEEPALIVE, SO_LINGER,
                                             SO_PASSCRED, SO_RCVTIMEO, SO_SNDTIMEO, 66, 67)},
     .answer = ALLOW,
     .reason = "buffers (which count as memory), time-outs and credentials; 66 and 67 are the time-outs of later C "
               "libraries. Not: filters, kernel code that no group pays for"},
    {CALLS("getsockopt"),
     .tests = {ONE_OF(1, SOL_SOCKET),
               ONE_OF(2, SO_TYPE, SO_ERROR, SO_DOMAIN, SO_PROTOCOL, SO_ACCEPTCONN, SO_PEERCRED, SO_REUSEADDR, SO_SNDBUF,
                      SO_RCVBUF, SO_KEEPALIVE, SO_LINGER, SO_PASSCRED, SO_RCVTIMEO, SO_SNDTIMEO, 66, 67)},
     .answer = ALLOW, .reason = "what a socket is. Not: SO_COOKIE, a counter of the whole host; filters"},
    {CALLS("setsockopt", "getsockopt"), .answer = ENOPROTOOPT, .reason = "other levels and options"},

    // Calls that are answered otherwise than an unlisted one: programs and runtimes know what to do then.
    {CALLS("sync", "syncfs", "fsync", "fdatasync", "sync_file_range", "readahead"), .answer = 0,
     .reason = "the host's disk would write or read, and everybody on it wait; a run's files are gone after it"},
    {CALLS("flock"), .answer = ENOLCK, .reason = "as locks by fcntl"},
    {CALLS("setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr"), .answer = EOPNOTSUPP,
     .reason = "what hangs on a file beside its bytes has no limit of its own"},
    {CALLS("pidfd_open", "pidfd_send_signal"), .answer = ENOSYS,
     .reason = "the number of a pidfd's inode counts the processes of the whole host"},
    {CALLS("mincore"), .answer = ENOSYS, .reason = "tells which pages of files others have read"},
    {CALLS("io_setup", "io_destroy", "io_submit", "io_cancel", "io_getevents"), .answer = ENOSYS,
     .reason = "all jails together have 65,536 requests (fs.aio-max-nr), and what they write is in no book"},
    {CALLS("shmget", "shmat", "shmctl", "shmdt", "semget", "semop", "semctl", "semtimedop", "msgget", "msgsnd",
           "msgrcv", "msgctl", "mq_open", "mq_unlink"),
     .answer = ENOSYS, .reason = "they would live on from one test case to the next in the jail's IPC namespace"},
};

const size_t policy_rows = sizeof policy / sizeof *policy;

static const struct call {
    const char *name;
    int number;
} by_headers[] =
    {
// in the order of their names
#include "syscalls.h"  // made from the kernel's headers by the Makefile
    },
  later[] = {
      // than the kernel headers that this may be compiled with; these numbers are the same everywhere
      {"faccessat2", 439}, {"epoll_pwait2", 441}, {"futex_waitv", 449},   {"fchmodat2", 452}, {"map_shadow_stack", 453},
      {"futex_wake", 454}, {"futex_wait", 455},   {"futex_requeue", 456}, {"mseal", 462},
  };

static int by_name(const void *name, const void *call) { return strcmp(name, ((const struct call *)call)->name); }

int call_number(const char *name) {
    const struct call *found =
        bsearch(name, by_headers, sizeof by_headers / sizeof *by_headers, sizeof *by_headers, by_name);
    if (found) return found->number;
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (strcmp(later[i].name, name) == 0) return later[i].number;
    return -1;
}

int unlisted_answer(int number) { return number > SYS_rseq ? ENOSYS : EPERM; }

static void print_test(const struct test *test) {
    printf("{\"argument\": %d, \"width\": %d, ", test->argument, test->is_wide ? 64 : 32);
    if (test->values) {
        printf("\"ignored\": %llu, \"values\": [", (unsigned long long)test->ignored);
        for (size_t i = 0; i < test->count; i++) printf("%s%llu", i ? ", " : "", (unsigned long long)test->values[i]);
        printf("]}");
    } else {
        printf("\"bits\": %llu}", (unsigned long long)test->bits);
    }
}

void print_policy(void) {
    for (size_t i = 0; i < policy_rows; i++) {
        const struct row *row = &policy[i];
        printf("{\"calls\": {");
        for (size_t n = 0; row->calls[n]; n++)
            printf("%s\"%s\": %d", n ? ", " : "", row->calls[n], call_number(row->calls[n]));
        printf("}, \"tests\": [");
        for (size_t n = 0; n < MOST_TESTS && row->tests[n].is_used; n++) {
            if (n) printf(", ");
            print_test(&row->tests[n]);
        }
        printf("], \"answer\": %d, \"reason\": \"%s\"}\n", row->answer, row->reason);
    }
}
