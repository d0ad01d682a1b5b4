// The system-call filter: what no submission needs and what has opened jails before is refused with an error, never
// with a kill, since runtimes probe. Other architectures' calls (i386, x32) get ENOSYS.
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "init.h"

#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE 62
#endif

static struct sock_fprog program_filter;

// By name, since the C library's headers may be older than the kernel; a name that libseccomp does not know is skipped
// only if it is in neither the headers nor the library (then the kernel is older still, or the number is in `numbers`).
static const char *const refused[] = {
    "mount", "umount", "umount2", "pivot_root", "chroot", "unshare", "setns", "open_tree", "move_mount", "fsopen",
    "fsconfig", "fsmount", "fspick", "mount_setattr", "keyctl", "add_key", "request_key", "bpf", "perf_event_open",
    "userfaultfd", "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp",
    "name_to_handle_at", "open_by_handle_at", "kexec_load", "kexec_file_load", "init_module", "finit_module",
    "delete_module", "create_module", "query_module", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "reboot",
    "syslog", "iopl", "ioperm", "modify_ldt", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex",
    "sethostname", "setdomainname", "vhangup", "lookup_dcookie", "uselib", "_sysctl", "nfsservctl", "fanotify_init",
    "fanotify_mark", "seccomp", "mbind", "move_pages", "migrate_pages", "set_mempolicy", "set_mempolicy_home_node",
    "ioprio_set", "memfd_secret", "sysfs", "ustat",
    // every jail shows the same files of the runtimes: what one submission does with them, another must not see
    "inotify_init", "inotify_init1",
};
static const char *const absent[] = {
    // clone3's flags lie behind a pointer where no filter sees them: the C library falls back to clone
    "clone3", "io_uring_setup", "io_uring_enter", "io_uring_register",
    // System V and POSIX queues would live on from one test case to the next in the jail's IPC namespace
    "shmget", "shmat", "shmctl", "semget", "semop", "semctl", "semtimedop", "msgget", "msgsnd", "msgrcv", "msgctl",
    "mq_open", "mq_unlink",
};
// flush every file system of the host: to be called, to be told that it worked, and to cost the neighbours nothing
static const char *const idle[] = {"sync", "syncfs"};
// what hangs on a file beside its bytes has no limit of its own
static const char *const unsupported[] = {"setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr"};
static const int refused_numbers[] = {451 /* cachestat */, 463 /* setxattrat */, 457 /* statmount */, 458 /* listmount */, 467 /* open_tree_attr */};

static int refuse_by_name(scmp_filter_ctx filter, const char *const *names, size_t count, uint32_t action) {
    for (size_t i = 0; i < count; i++) {
        int number = seccomp_syscall_resolve_name(names[i]);
        // negative numbers are calls that this architecture does not have
        if (number >= 0 && seccomp_rule_add(filter, action, number, 0) < 0) return -1;
    }
    return 0;
}

static int refuse_new_namespaces(scmp_filter_ctx filter) {
    static const unsigned long flags[] = {0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                             SCMP_A0(SCMP_CMP_MASKED_EQ, flags[i], flags[i])) < 0)
            return -1;
    return 0;
}

// There is nobody to talk to, and ports and the network's counters would tell one test case of the one before.
static int refuse_other_sockets(scmp_filter_ctx filter) {
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1, SCMP_A0_32(SCMP_CMP_NE, AF_UNIX));
}

// Locks and leases on the runtimes' files and on /dev/null would be seen by other submissions; in its own scratch folder
// no program has anybody to lock out.
static int refuse_locks(scmp_filter_ctx filter) {
    static const int commands[] = {F_GETLK, F_SETLK, F_SETLKW, F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_GETLEASE, F_NOTIFY};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOLCK), SCMP_SYS(fcntl), 1, SCMP_A1_32(SCMP_CMP_EQ, commands[i])) < 0) return -1;
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOLCK), SCMP_SYS(flock), 0);
}

// What would cost the host or the neighbours more than this run's limits allow.
static int refuse_costs_to_others(scmp_filter_ctx filter) {
    // with FALLOC_FL_KEEP_SIZE blocks are taken beyond the file's end, where RLIMIT_FSIZE does not look: a full disk in one call
    if (seccomp_rule_add(filter, SCMP_ACT_ERRNO(EOPNOTSUPP), SCMP_SYS(fallocate), 1, SCMP_A1_32(SCMP_CMP_NE, 0)) < 0) return -1;
    // throws the runtimes' files out of the page cache that everybody uses
    if (seccomp_rule_add(filter, SCMP_ACT_ERRNO(0), SCMP_SYS(fadvise64), 1, SCMP_A3_32(SCMP_CMP_EQ, POSIX_FADV_DONTNEED)) < 0) return -1;
    // keeps strangers off the other thread of the core
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(prctl), 1, SCMP_A0_32(SCMP_CMP_EQ, PR_SCHED_CORE));
}

static int add_rules(scmp_filter_ctx filter) {
    const uint32_t denied = SCMP_ACT_ERRNO(EPERM);
    if (refuse_by_name(filter, refused, sizeof refused / sizeof *refused, denied) < 0) return -1;
    if (refuse_by_name(filter, absent, sizeof absent / sizeof *absent, SCMP_ACT_ERRNO(ENOSYS)) < 0) return -1;
    for (size_t i = 0; i < sizeof refused_numbers / sizeof *refused_numbers; i++)
        if (seccomp_rule_add(filter, denied, refused_numbers[i], 0) < 0) return -1;
    if (refuse_by_name(filter, unsupported, sizeof unsupported / sizeof *unsupported, SCMP_ACT_ERRNO(EOPNOTSUPP)) < 0) return -1;
    if (refuse_by_name(filter, idle, sizeof idle / sizeof *idle, SCMP_ACT_ERRNO(0)) < 0) return -1;
    if (refuse_new_namespaces(filter) < 0 || refuse_other_sockets(filter) < 0) return -1;
    if (refuse_locks(filter) < 0 || refuse_costs_to_others(filter) < 0) return -1;
    // pushing characters into a terminal's input
    if (seccomp_rule_add(filter, denied, SCMP_SYS(ioctl), 1, SCMP_A1_32(SCMP_CMP_EQ, 0x5412)) < 0) return -1;
    if (seccomp_rule_add(filter, denied, SCMP_SYS(ioctl), 1, SCMP_A1_32(SCMP_CMP_EQ, 0x541C)) < 0) return -1;
    // personality may be asked (0xffffffff), not set
    return seccomp_rule_add(filter, denied, SCMP_SYS(personality), 1, SCMP_A0_32(SCMP_CMP_NE, 0xffffffff));
}

static int load_program(scmp_filter_ctx filter) {
    int fd = memfd_create("filter", MFD_CLOEXEC);
    struct stat size;
    if (fd < 0 || seccomp_export_bpf(filter, fd) < 0 || fstat(fd, &size) < 0) return -1;
    program_filter.len = size.st_size / sizeof(struct sock_filter);
    program_filter.filter = malloc(size.st_size);
    if (!program_filter.filter || pread(fd, program_filter.filter, size.st_size, 0) != size.st_size) return -1;
    return close(fd);
}

int build_filter(void) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (!filter) return -1;
    int failed = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS)) < 0 ||
                 seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) < 0 || add_rules(filter) < 0 || load_program(filter) < 0;
    seccomp_release(filter);
    return failed ? -1 : 0;
}

static int install(struct sock_fprog *program) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -1;
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, program) < 0 ? -1 : 0;
}

int install_filter(void) { return install(&program_filter); }

// Lets a program be executed and kills it at its first call.
int install_exec_only_filter(void) {
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrusage, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
    return install(&program);
}
