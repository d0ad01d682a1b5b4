// Turning a fresh child of the init into the program: groups, standard streams, limits, user, last filter, exec.
//
// What all programs have in common is on the thread that starts them already (runner.c). Until it executes the program,
// the child shares the init's memory: copying it, page by page, would take as long as all the rest here. (On x86-64;
// elsewhere it is copied.) What it shares is also the runner's errno and all that is thread-local: while it runs, no
// call of the runner may fail. While it waits for its streams (ahead.c), any may.
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init.h"

#ifndef CLONE_NEWCGROUP
#define CLONE_NEWCGROUP 0x02000000
#endif

enum { MEASURE_LOOKS = 40, MEASURE_MS = 50 };  // for the exec alone, of a program whose first system call ends it

// What the child needs to know.
struct start {
    const struct run *run;
    struct launch_note *note;
    int (*last_filter)(void);
    int channel;  // a socket that brings the streams once the program is asked for; -1: it is
};

static _Noreturn void become_program(const struct start *start);

// Has a child become the program; returns its pid, or -1. As clone(3), which cannot start a child in a cgroup v2 group.
static pid_t start_child(struct clone_args *args, const struct start *start) {
#if CHILD_SHARES_MEMORY
    static char stack[64 * 1024] __attribute__((aligned(64)));  // the child's, until it executes the program
    args->flags |= CLONE_VM;
    args->stack = (uintptr_t)stack, args->stack_size = sizeof stack;
    long result;
    // the child returns from the call with nothing on its stack
    __asm__ volatile("syscall\n\ttest %%rax, %%rax\n\tjnz 1f\n\tmov %[start], %%rdi\n\tcall *%[function]\n1:"
                     : "=a"(result)
                     : "a"(SYS_clone3), "D"(args), "S"(sizeof *args), [function] "r"(become_program), [start] "r"(start)
                     : "rcx", "r11", "memory");
    if (result >= 0) return result;
    errno = -result;
    return -1;
#else
    pid_t pid = syscall(SYS_clone3, args, sizeof *args);
    if (pid == 0) become_program(start);
    return pid;
#endif
}

static int last_pid_fd;  // of the PID namespace
static int root_fd, no_mounts_fd;

// Makes a mount namespace of which nobody has the root. A program that belongs to it, with the jail's root all the
// same, finds everything but lists nothing: /proc/self/mountinfo shows what lies below its root of its own namespace,
// and would name the host's folders.
static int prepare_no_mounts(void) {
    int own = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
    root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (own < 0 || root_fd < 0 || unshare(CLONE_NEWNS) < 0) return -1;
    no_mounts_fd = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
    return no_mounts_fd < 0 || setns(own, CLONE_NEWNS) < 0 ? -1 : close(own);
}

int leave_mounts(void) {
    if (setns(no_mounts_fd, CLONE_NEWNS) < 0 || fchdir(root_fd) < 0) return -1;
    return chroot(".");
}

// Has the mount that lies over another one end; returns a descriptor of its folder.
static int take_mount(const char *target) {
    int fd = open(target, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 || umount2(target, MNT_DETACH) < 0 ? -1 : fd;
}

// Mounts what is mounted there once more over it, read-only.
static int mount_to_read(const char *target) {
    struct statvfs is;
    if (mount(target, target, NULL, MS_BIND | MS_REC, NULL) < 0 || statvfs(target, &is) < 0) return -1;
    // the same bits; a user namespace must keep them
    const unsigned long kept = is.f_flag & (ST_NOSUID | ST_NODEV | ST_NOEXEC);
    return mount(NULL, target, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | kept, NULL);
}

// nsjail has mounted two things where the scratch folders will be, which go away here, before any program comes: a
// whole /proc, and below it the work folder.
int prepare_launches(int work_fds[WORK_FOLDERS]) {
    last_pid_fd = open(SCRATCH "/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
    if (umount2(SCRATCH, MNT_DETACH) < 0 || mount_to_read(SCRATCH) < 0) return -1;
    if ((work_fds[1] = take_mount(SCRATCH)) < 0 || (work_fds[0] = take_mount(SCRATCH)) < 0) return -1;
    return prepare_no_mounts();
}

// Every run is process 3 (2 is the runner), as if it were the first: else a program could count how many processes the
// cases before it had. Kernels without CONFIG_CHECKPOINT_RESTORE have no such file, and go on counting.
static void forget_earlier_pids(void) {
    if (last_pid_fd >= 0 && pwrite(last_pid_fd, "1", 1, 0) != 1) _exit(1);
}

static int enter_groups(const struct run *run) {
    for (uint32_t i = 0; !(run->request.flags & FLAG_CLONE_INTO) && i < run->request.cgroups; i++)
        if (write(run->cgroup_fd[i], "0", 1) != 1) return -1;
    return unshare(CLONE_NEWCGROUP);
}

static int lower(int resource, uint64_t value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) < 0) return -1;
    rlim_t bounded = value < limit.rlim_max ? value : limit.rlim_max;
    limit = (struct rlimit){bounded, bounded};
    return setrlimit(resource, &limit);
}

// As it is at first; a program may ask for more stack, and many do: what bounds it is the run's memory.
static int begin_with(int resource, uint64_t value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) < 0) return -1;
    limit.rlim_cur = value < limit.rlim_max ? value : limit.rlim_max;
    return setrlimit(resource, &limit);
}

static int lower_limits(const struct request *request) {
    // 1, not 0: a core pattern that pipes to a helper ignores 0 (fs/coredump.c); a file of 1 byte is too small to be
    // made
    if (lower(RLIMIT_CORE, 1) < 0 || lower(RLIMIT_FSIZE, request->file_bytes) < 0) return -1;
    if (lower(RLIMIT_NOFILE, request->open_files) < 0 || begin_with(RLIMIT_STACK, request->stack_bytes) < 0) return -1;
    if (lower(RLIMIT_MEMLOCK, 64 << 10) < 0 || lower(RLIMIT_MSGQUEUE, 0) < 0 || lower(RLIMIT_NICE, 0) < 0) return -1;
    // timers and queued signals: all jails and the host's root share one account of them
    return lower(RLIMIT_SIGPENDING, 1024) < 0 ? -1 : lower(RLIMIT_RTPRIO, 0);
}

static int take_streams(const int *stdio) {
    for (int i = 0; i < 3; i++)
        if (dup2(stdio[i], i) < 0) return -1;
    // nothing else reaches the program: not the control socket, not the groups
    return syscall(SYS_close_range, 3, ~0U, 1U << 2 /* CLOSE_RANGE_CLOEXEC */);
}

// By system call: for the C library these are of all threads of a process, and it takes this one for the init.
static int become_program_user(void) {
    if (syscall(SYS_setgroups, 0, NULL) < 0 || syscall(SYS_setresgid, PROGRAM_ID, PROGRAM_ID, PROGRAM_ID) < 0)
        return -1;
    return syscall(SYS_setresuid, PROGRAM_ID, PROGRAM_ID, PROGRAM_ID);
}

static void restore_signals(void) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
}

// Tells the runner that it waits, and waits until the streams come. By system call: for the C library it is the runner.
static int wait_for_streams(int channel, struct launch_note *note, int *stdio) {
    _Alignas(struct cmsghdr) char ancillary[CMSG_SPACE(sizeof(int) * 3)];
    char word = 0;
    struct iovec body = {.iov_base = &word, .iov_len = 1};
    struct msghdr waits = {.msg_iov = &body, .msg_iovlen = 1}, asked = waits;
    asked.msg_control = ancillary, asked.msg_controllen = sizeof ancillary;
    getrusage(RUSAGE_SELF, &note->spent_waiting);
    if (syscall(SYS_sendmsg, channel, &waits, MSG_NOSIGNAL) != 1) return -1;
    if (syscall(SYS_recvmsg, channel, &asked, MSG_CMSG_CLOEXEC) != 1) return -1;
    struct cmsghdr *part = CMSG_FIRSTHDR(&asked);
    if (!part || part->cmsg_len != CMSG_LEN(sizeof(int) * 3)) return -1;
    memcpy(stdio, CMSG_DATA(part), sizeof(int) * 3);
    return 0;
}

static _Noreturn void become_program(const struct start *start) {
    const struct run *run = start->run;
    struct launch_note *note = start->note;
    int is_asked = start->channel < 0, received[3];
    note->stage = STAGE_CGROUP;
    if (enter_groups(run) < 0) goto failed;
    note->stage = STAGE_CREDENTIALS;
    umask(022);
    restore_signals();
    if (setsid() < 0 || become_program_user() < 0) goto failed;
    note->stage = STAGE_FILTER;
    if (!is_asked && (start->last_filter() < 0 || wait_for_streams(start->channel, note, received) < 0)) goto failed;
    note->stage = STAGE_CREDENTIALS;
    if (chdir(BOX) < 0 || take_streams(is_asked ? run->stdio : received) < 0 || lower_limits(&run->request) < 0)
        goto failed;
    note->stage = STAGE_FILTER;
    if (is_asked && start->last_filter() < 0) goto failed;
    note->stage = STAGE_EXEC;
    getrusage(RUSAGE_SELF, &note->spent);
    clock_gettime(CLOCK_MONOTONIC, &note->started);
    execve(run->argv[0], run->argv, run->environment);
failed:
    note->error = errno;
    _exit(127);
}

static int launch_with(const struct run *run, struct launch_note *note, struct process *process,
                       int (*last_filter)(void), int channel) {
    static struct start start;  // the child reads it when this function has returned
    struct clone_args args = {.flags = CLONE_PIDFD, .pidfd = (uintptr_t)&process->pidfd, .exit_signal = SIGCHLD};
    if (run->request.flags & FLAG_CLONE_INTO) {
        args.flags |= CLONE_INTO_CGROUP;
        args.cgroup = run->cgroup_fd[0];
    }
    start = (struct start){run, note, last_filter, channel};
    memset(note, 0, sizeof *note);
    note->asked_us = now_us();
    note->asleep_us = asleep_us();
    forget_earlier_pids();
    clock_gettime(CLOCK_MONOTONIC, &note->started);  // until the child notes the real start
    *process = (struct process){.pidfd = -1, .stat_fd = -1, .schedstat_fd = -1};
    process->pid = start_child(&args, &start);
    return process->pid < 0 ? -1 : 0;
}

int launch(const struct run *run, struct launch_note *note, struct process *process) {
    if (launch_with(run, note, process, install_last_filter, -1) < 0) return -1;
    open_accounts(process);
    return 0;
}

int launch_waiting(const struct run *run, struct launch_note *note, struct process *process, int channel) {
    return launch_with(run, note, process, install_last_filter, channel);
}

static void close_if_open(int fd) {
    if (fd >= 0) close(fd);
}

void close_process(struct process *process) {
    close_if_open(process->pidfd), close_if_open(process->stat_fd), close_if_open(process->schedstat_fd);
    *process = (struct process){.pidfd = -1, .stat_fd = -1, .schedstat_fd = -1};
}

int measure_exec_reads(const struct run *run, struct launch_note *note, struct io_counts *reads) {
    struct process process;
    memset(reads, 0, sizeof *reads);
    if (launch_with(run, note, &process, install_exec_only_filter, -1) < 0) return -1;
    const pid_t pid = process.pid;
    struct pollfd end = {.fd = process.pidfd, .events = POLLIN};
    int looks = 0;  // and not the clock: it may have been stopped together with us
    while (looks < MEASURE_LOOKS && poll(&end, 1, MEASURE_MS) != 1) looks++;
    if (looks == MEASURE_LOOKS) kill(pid, SIGKILL);  // it may spin and never make a call
    close_process(&process);
    siginfo_t info;
    int status;
    struct rusage usage;
    if (waitid(P_PID, pid, &info, WEXITED | WNOWAIT) < 0) return -1;
    return take_dead(pid, &status, &usage, reads);
}
