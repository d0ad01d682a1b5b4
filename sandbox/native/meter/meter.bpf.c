/* The system-call meter: counts what some runs ask of the kernel, by name and by stream. Loaded by
 * sandbox/meter/meter.py.
 *
 * How it works
 *   runs_map            has an entry for each run, by the number of its jail's PID namespace. So many runs are counted
 *                       at the same time, and what is attached costs the host the same.
 *   sched_process_exec  the first program started in a jail's PID namespace (whatever pid 1, our init, starts) opens
 *                       the count and shows which open files are its stdin, stdout and stderr.
 *   sys_exit            counts every call of those namespaces, pid 1 excepted, when it returns. One tracepoint, so that
 *                       a call costs one visit, and the same moment at which strace -c counts.
 *
 * Fine points, all as strace -f -c has them: exit and exit_group never return and are not counted; the second return
 * of a fork, in the child, is not a call; a call that a kill cut short never came back to the program, nor did the one
 * by which a program killed itself; an interrupted call that the kernel starts again counts each time.
 * On x86-64 and arm64 the kernel forgets the number of rt_sigreturn (-1) by the time it returns.
 * Calls by another machine's numbers (int 0x80, x32), which the jail's filter refuses, count as unknown: their numbers
 * mean something else.
 *
 * Kernel types are declared here with the fields in use only; libbpf finds their places in the running kernel (CO-RE).
 * Needs Linux 5.8 with BTF.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <asm/unistd.h>

char LICENSE[] SEC("license") = "GPL"; /* the kernel's helpers for reading its memory ask for it */

#define KERNEL_TYPE __attribute__((preserve_access_index))

/* The layout of these is mirrored in sandbox/meter/meter.py. */
#define CALL_NUMBERS 512
#define MOST_RUNS 256
enum stream { STDIN, STDOUT, STDERR, FILES, STREAM_COUNT };

struct run {
    __u64 started;
    __u64 file[3]; /* struct file and struct inode behind descriptors 0, 1, 2 at the start */
    __u64 inode[3];
    __u64 calls[CALL_NUMBERS];
    __u64 unknown_calls;
    struct {
        __u64 calls;
        __u64 bytes;
    } streams[STREAM_COUNT];
};

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, MOST_RUNS);
    __type(key, __u32); /* of the PID namespace */
    __type(value, struct run);
} runs_map SEC(".maps");

struct inode {
    unsigned int i_rdev;
} KERNEL_TYPE;

struct file {
    struct inode *f_inode;
} KERNEL_TYPE;

struct fdtable {
    unsigned int max_fds;
    struct file **fd;
} KERNEL_TYPE;

struct files_struct {
    struct fdtable *fdt;
} KERNEL_TYPE;

typedef struct {
    unsigned long sig[1];
} sigset_t; /* no tag to find it by, but in the types that hold it */

struct sigpending {
    sigset_t signal;
} KERNEL_TYPE;

struct ns_common {
    unsigned int inum;
} KERNEL_TYPE;

struct pid_namespace {
    struct ns_common ns;
} KERNEL_TYPE;

struct upid { /* read as a whole, so its layout is the kernel's: 16 bytes since Linux 2.6.24 */
    int nr;
    struct pid_namespace *ns;
};

struct pid {
    unsigned int level;
    struct upid numbers[];
} KERNEL_TYPE;

struct task_struct;

struct signal_struct {
    struct task_struct *curr_target;
    int group_exit_code;
} KERNEL_TYPE;

struct thread_info {
    unsigned int status;
} KERNEL_TYPE;

struct task_struct {
    struct thread_info thread_info;
    unsigned int flags;
    struct task_struct *group_leader;
    struct pid *thread_pid;
    struct files_struct *files;
    struct signal_struct *signal;
    sigset_t blocked;
    struct sigpending pending;
} KERNEL_TYPE;

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
    unsigned long di, si, dx, orig_ax;
} KERNEL_TYPE;
#define CALL_NUMBER(regs) ((long)BPF_CORE_READ(regs, orig_ax))
#define FIRST_ARGUMENT(regs) BPF_CORE_READ(regs, di)
#define SECOND_ARGUMENT(regs) BPF_CORE_READ(regs, si)
#define THIRD_ARGUMENT(regs) BPF_CORE_READ(regs, dx)
#define IS_I386_CALL(task) ((BPF_CORE_READ(task, thread_info.status) & 2) != 0) /* TS_COMPAT of <asm/thread_info.h> */
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
    unsigned long long regs[31];
    unsigned long long orig_x0;
    int syscallno;
} KERNEL_TYPE;
#define CALL_NUMBER(regs) ((long)BPF_CORE_READ(regs, syscallno))
#define FIRST_ARGUMENT(regs) BPF_CORE_READ(regs, orig_x0)
#define SECOND_ARGUMENT(regs) BPF_CORE_READ(regs, regs[1])
#define THIRD_ARGUMENT(regs) BPF_CORE_READ(regs, regs[2])
#define IS_I386_CALL(task) 0
#else
#error "the meter knows the registers of x86-64 and arm64 only"
#endif

#define SIGNAL_BIT(number) (1UL << ((number) - 1)) /* in a signal set */
#define KILL 9
#define DUMPS_CORE 0x418004fcUL /* QUIT ILL TRAP ABRT BUS FPE SEGV XCPU XFSZ SYS: SIG_KERNEL_COREDUMP_MASK */
#define EXITING 4               /* PF_EXITING of a task's flags */
#define MEMORY_DEVICES 1        /* major number of /dev/null, zero, full, urandom */

#define COUNT(counter, by) __sync_fetch_and_add(&(counter), (by)) /* threads of a run count at the same time */

/* The run of a process or thread: that of its PID namespace; none for a jail's pid 1, and for processes of no jail. */
static __always_inline struct run *run_of(struct task_struct *task) {
    struct pid *pid = BPF_CORE_READ(task, group_leader, thread_pid);
    struct upid own = {};
    unsigned int level;
    __u32 namespace;

    if (!pid) return 0;
    level = BPF_CORE_READ(pid, level);
    if (level == 0) return 0; /* the host's own */
    bpf_probe_read_kernel(&own, sizeof(own), (char *)&pid->numbers + level * sizeof(own));
    if (own.nr == 1 || !own.ns) return 0;
    namespace = BPF_CORE_READ(own.ns, ns.inum);
    return bpf_map_lookup_elem(&runs_map, &namespace);
}

static __always_inline struct file *open_file(__u32 descriptor) {
    struct task_struct *task = (struct task_struct *)bpf_get_current_task();
    struct fdtable *table = BPF_CORE_READ(task, files, fdt);
    struct file **files, *file = 0;

    if (!table || descriptor >= BPF_CORE_READ(table, max_fds)) return 0;
    files = BPF_CORE_READ(table, fd);
    bpf_probe_read_kernel(&file, sizeof file, files + descriptor);  // NOLINT(bugprone-sizeof-expression): a pointer
    return file;
}

/* Which stream a descriptor is, by what is open behind it, so that a dup() of stdout is still stdout.
 * The same inode opened anew (/dev/stdout) is the stream too, except /dev/null and its like, which anyone may open.
 * Where two streams are one open file, the descriptor's own number decides. */
static __always_inline enum stream stream_of(const struct run *run, __u32 descriptor) {
    struct file *file = open_file(descriptor);
    enum stream found = FILES;
    int found_file = 0;
    struct inode *inode;

    if (!file) return FILES;
    inode = BPF_CORE_READ(file, f_inode);
#pragma unroll
    for (int stream = STDERR; stream >= STDIN; stream--) {
        if (run->inode[stream] != (__u64)inode) continue;
        if (run->file[stream] == (__u64)file) {
            if (descriptor == (__u32)stream) return stream;
            found = stream;
            found_file = 1;
        } else if (!found_file && BPF_CORE_READ(inode, i_rdev) >> 20 != MEMORY_DEVICES) {
            found = stream;
        }
    }
    return found;
}

static __noinline int count_stream(__u32 descriptor, long result) {
    struct run *run = run_of((struct task_struct *)bpf_get_current_task());
    __u32 stream;

    if (!run) return 0;
    stream = stream_of(run, descriptor);
    if (stream >= STREAM_COUNT) return 0;
    COUNT(run->streams[stream].calls, 1);
    if (result > 0) COUNT(run->streams[stream].bytes, result);
    return 0;
}

SEC("raw_tp/sched_process_exec")
int first_exec(void) {
    struct run *run = run_of((struct task_struct *)bpf_get_current_task());

    if (!run || run->started) return 0;
#pragma unroll
    for (int stream = STDIN; stream <= STDERR; stream++) {
        struct file *file = open_file(stream);

        run->file[stream] = (__u64)file;
        run->inode[stream] = file ? (__u64)BPF_CORE_READ(file, f_inode) : 0;
    }
    run->started = 1;
    return 0;
}

static __always_inline int is_fork(long number) {
    switch (number) {
#ifdef __NR_fork
    case __NR_fork:
    case __NR_vfork:
#endif
    case __NR_clone:
    case __NR_clone3:
        return 1;
    default:
        return 0;
    }
}

static __always_inline int sends_signal(long number) {
    switch (number) {
    case __NR_kill:
    case __NR_tkill:
    case __NR_tgkill:
    case __NR_rt_sigqueueinfo:
    case __NR_rt_tgsigqueueinfo:
    case __NR_pidfd_send_signal:
        return 1;
    default:
        return 0;
    }
}

/* Whether this thread is the one that the kernel gave a signal to: as complete_signal() of kernel/signal.c chooses. */
static __always_inline int was_given(struct task_struct *task, unsigned long signal_bit) {
    struct task_struct *leader = BPF_CORE_READ(task, group_leader);

    if (BPF_CORE_READ(task, pending.signal.sig[0]) & signal_bit) return 1; /* sent to no other thread */
    if ((BPF_CORE_READ(leader, blocked.sig[0]) & signal_bit) || (BPF_CORE_READ(leader, flags) & EXITING))
        return BPF_CORE_READ(task, signal, curr_target) == task;
    return leader == task;
}

/* SIGKILL is on its way: the program does not see this call's end. The kernel gives -EINTR or its own -ERESTART* to a
 * call that was interrupted; what had worked before the kill came counts, since it left its traces. The kernel also
 * makes a SIGKILL for all threads of a signal that nobody handles, such as SIGTERM, but not while somebody traces:
 * strace sees the end of the call that sent it, and of the one in which a thread was given it. */
static __always_inline int cut_short_by_kill(struct task_struct *task, long number, long result) {
    int is_interrupted = result == -4 || (result <= -512 && result >= -516);
    unsigned long signal_bit;
    int signal;

    if (!is_interrupted && !(result == 0 && sends_signal(number))) return 0;
    if ((BPF_CORE_READ(task, pending.signal.sig[0]) & SIGNAL_BIT(KILL)) == 0) return 0;
    signal = BPF_CORE_READ(task, signal, group_exit_code) & 0x7f;
    if (signal == 0 || signal > 64) return 1;
    signal_bit = SIGNAL_BIT(signal);
    if (signal_bit & (SIGNAL_BIT(KILL) | DUMPS_CORE)) return 1;
    return is_interrupted && !was_given(task, signal_bit);
}

SEC("raw_tp/sys_exit")
int call_returns(struct bpf_raw_tracepoint_args *context) {
    struct pt_regs *regs = (struct pt_regs *)context->args[0];
    struct task_struct *task = (struct task_struct *)bpf_get_current_task();
    struct run *run = run_of(task);
    long result = context->args[1];
    long number;

    if (!run || !run->started) return 0;
    number = CALL_NUMBER(regs);
    if (number == -1) number = __NR_rt_sigreturn;
    if ((result == 0 && is_fork(number)) || cut_short_by_kill(task, number, result)) return 0;
    if (IS_I386_CALL(task) || number < 0 || number >= CALL_NUMBERS) {
        COUNT(run->unknown_calls, 1);
        return 0;
    }
    /* Changes nothing. Linux 6.1 forgets the bounds of a register that the compiler keeps on the stack meanwhile. */
    asm volatile("%0 &= %1" : "+r"(number) : "i"(CALL_NUMBERS - 1));
    COUNT(run->calls[number], 1);

    switch (number) {
    case __NR_read:
    case __NR_pread64:
    case __NR_readv:
    case __NR_preadv:
    case __NR_preadv2:
    case __NR_write:
    case __NR_pwrite64:
    case __NR_writev:
    case __NR_pwritev:
    case __NR_pwritev2:
    case __NR_vmsplice:
        count_stream(FIRST_ARGUMENT(regs), result);
        break;
    case __NR_sendfile: /* out, in */
    case __NR_tee:      /* in, out */
        count_stream(FIRST_ARGUMENT(regs), result);
        count_stream(SECOND_ARGUMENT(regs), result);
        break;
    case __NR_copy_file_range: /* in, offset, out */
    case __NR_splice:
        count_stream(FIRST_ARGUMENT(regs), result);
        count_stream(THIRD_ARGUMENT(regs), result);
        break;
    default:
        break;
    }
    return 0;
}
