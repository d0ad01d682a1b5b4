// PID 1 of a jail. Runs one program at a time for the host and tells what became of it.
//
// How it works: nsjail has made the namespaces and the read-only root and has executed this file, with one end of a
// socket pair. The init has two threads: the first one mounts, the other one (runner.c), which has the filter on, does
// all else. For each request (init.h) it takes fresh scratch folders (scratch.c) and makes a child, which becomes the
// program (launch.c); it watches it, kills all that is left and adds up the kernel's account (watch.c); then it
// answers, passes the collected files as descriptors, has the scratch folders thrown away, and makes the process of the
// next run (ahead.c). When the host goes away, the socket ends, the init exits, and the kernel kills the whole PID
// namespace.
//
// Outside of a jail it has other roles. `init enter N FD... COMMAND`: enter N control groups and execute nsjail. `init
// policy`: print the system-call policy (policy.c); `init filter`: write the filter's instructions, which a test holds
// against it.
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "enter.h"
#include "init.h"
#include "policy.h"

enum { LISTS = 5 };  // of strings, behind a request

static char message[MAX_MESSAGE];

static void send_reply(int control, struct reply *reply, const int *fds, size_t count) {
    char ancillary[CMSG_SPACE(sizeof(int) * MAX_COLLECTS)] = {0};
    struct iovec body = {.iov_base = reply, .iov_len = sizeof *reply};
    struct msghdr header = {.msg_iov = &body, .msg_iovlen = 1};
    if (count) {
        header.msg_control = ancillary;
        header.msg_controllen = CMSG_SPACE(sizeof(int) * count);
        struct cmsghdr *part = CMSG_FIRSTHDR(&header);
        part->cmsg_level = SOL_SOCKET, part->cmsg_type = SCM_RIGHTS, part->cmsg_len = CMSG_LEN(sizeof(int) * count);
        memcpy(CMSG_DATA(part), fds, sizeof(int) * count);
    }
    reply->version = PROTOCOL_VERSION;
    if (sendmsg(control, &header, MSG_NOSIGNAL) < 0) _exit(1);
}

static size_t take_descriptors(struct msghdr *header, int *fds, size_t room) {
    size_t count = 0;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        size_t here = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < here && count < room; i++)
            memcpy(&fds[count++], CMSG_DATA(part) + i * sizeof(int), sizeof(int));
    }
    return count;
}

// Cuts the strings behind the request apart: argv, environment, directories, collects, placed, each list ended by NULL.
static int parse_strings(struct run *run, char *text, size_t length) {
    const struct request *request = &run->request;
    const uint32_t lists[LISTS] = {request->argc, request->envc, request->directories, request->collects,
                                   request->placed};
    char **starts[LISTS], *end = text + length;
    size_t used = 0;
    for (int list = 0; list < LISTS; list++) {
        starts[list] = run->strings + used;
        for (uint32_t i = 0; i < lists[list]; i++) {
            char *zero = text < end ? memchr(text, 0, end - text) : NULL;
            if (!zero || used >= MAX_STRINGS - LISTS) return -1;
            run->strings[used++] = text;
            text = zero + 1;
        }
        run->strings[used++] = NULL;
    }
    run->argv = starts[0], run->environment = starts[1], run->directories = starts[2], run->collects = starts[3];
    run->placed = starts[4];
    return text == end ? 0 : -1;
}

// Whether a request asks for something that limits can hold: a tmpfs of size 0 has no end, and more than this overflows
// to 0.
static int makes_sense(const struct request *request) {
    const uint64_t most = 1ULL << 50;
    const uint32_t flags = FLAG_CLONE_INTO | FLAG_MEASURE_ONLY | FLAG_KEEP | FLAG_GO_ON;
    if (request->version != PROTOCOL_VERSION || request->cgroups == 0 || request->cgroups > MAX_CGROUPS) return 0;
    if (request->flags & FLAG_AHEAD)
        return !(request->flags & ~(FLAG_AHEAD | FLAG_CLONE_INTO)) &&
               !(request->argc | request->envc | request->directories | request->collects | request->placed);
    return request->argc > 0 && request->cores > 0 && request->collects <= MAX_COLLECTS && !(request->flags & ~flags) &&
           request->placed % 2 == 0 && request->scratch_bytes - 1 < most && request->scratch_inodes - 1 < most;
}

static int is_of_cgroup(int fd) {
    struct statfs where;
    return fstatfs(fd, &where) == 0 && (where.f_type == CGROUP_SUPER_MAGIC || where.f_type == CGROUP2_SUPER_MAGIC);
}

// Without its account and its groups, a run would have no limits: they must be what they are said to be.
static int are_of_cgroups(const int *fds, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!is_of_cgroup(fds[i])) return 0;
    return 1;
}

// Returns 0, or -1 with EPROTO when the message makes no sense; exits when the host is gone.
static int receive_run(int control, struct run *run) {
    int fds[OWN_DESCRIPTORS + MAX_CGROUPS];
    _Alignas(struct cmsghdr) char ancillary[CMSG_SPACE(sizeof fds)];
    struct iovec body = {.iov_base = message, .iov_len = sizeof message};
    struct msghdr header = {.msg_iov = &body, .msg_iovlen = 1, .msg_control = ancillary};
    // CMSG_SPACE is rounded up: one descriptor more would fit, and stay open
    header.msg_controllen = CMSG_LEN(sizeof fds);
    ssize_t length;
    do length = recvmsg(control, &header, MSG_CMSG_CLOEXEC);
    while (length < 0 && errno == EINTR);
    if (length <= 0) _exit(0);
    size_t count = take_descriptors(&header, fds, sizeof fds / sizeof *fds);
    struct request *request = &run->request;
    int whole = (size_t)length >= sizeof *request && !(header.msg_flags & (MSG_TRUNC | MSG_CTRUNC));
    if (whole) memcpy(request, message, sizeof *request);
    // than of groups
    const size_t own = whole && request->flags & FLAG_AHEAD ? 0 : OWN_DESCRIPTORS, others = own ? own - 1 : 0;
    if (whole && makes_sense(request) && count == own + request->cgroups &&
        are_of_cgroups(fds + others, count - others) &&
        parse_strings(run, message + sizeof *request, length - sizeof *request) == 0) {
        run->output_fd = run->errors_fd = run->cpu_fd = -1;
        if (own) {
            memcpy(run->stdio, fds, sizeof run->stdio);
            run->output_fd = fds[3];
            run->errors_fd = fds[4];
            run->cpu_fd = fds[5];
        }
        run->has_stdio = own != 0;
        memcpy(run->cgroup_fd, fds + own, sizeof(int) * request->cgroups);
        return 0;
    }
    for (size_t i = 0; i < count; i++) close(fds[i]);
    errno = EPROTO;
    return -1;
}

// The program's files are to be its alone: see sandbox/jail/streams.py.
static void close_stdio(struct run *run) {
    // the numbers stay: the child may be about to read them
    for (int i = 0; run->has_stdio && i < 3; i++) close(run->stdio[i]);
    run->has_stdio = 0;
}

static void close_run(struct run *run) {
    close_stdio(run);
    if (!(run->request.flags & FLAG_AHEAD)) close(run->output_fd), close(run->errors_fd), close(run->cpu_fd);
    for (uint32_t i = 0; i < run->request.cgroups; i++) close(run->cgroup_fd[i]);
}

// The kernel's own reads during exec depend on the file alone, so the last one's measure is kept.
static int exec_reads(const struct run *run, struct launch_note *note, struct io_counts *reads) {
    static char *measured_path;
    static struct io_counts measured;
    note->error = 0;  // of the run before
    if (!measured_path || strcmp(measured_path, run->argv[0]) != 0) {
        free(measured_path);
        measured_path = NULL;
        drop_waiting();
        if (measure_exec_reads(run, note, &measured) < 0) return -1;
        if (note->error) return 0;
        measured_path = strdup(run->argv[0]);
    }
    *reads = measured;
    return 0;
}

static void fail(struct reply *reply, enum stage stage, int error) {
    *reply = (struct reply){.kind = REPLY_FAILED, .stage = stage, .error = error};
}

static void run_program(struct run *run, int control, struct launch_note *note, struct process *process,
                        struct reply *reply) {
    struct io_counts before;
    if (exec_reads(run, note, &before) < 0) return fail(reply, STAGE_FORK, errno);
    if (note->error) return fail(reply, note->stage, note->error);
    *reply = (struct reply){.kind = REPLY_DONE};
    if (run->request.flags & FLAG_MEASURE_ONLY) return;
    if (read_group_cpu(run->cpu_fd, &run->group_cpu_before_us) < 0) return fail(reply, STAGE_CGROUP, errno);
    int had_waited = use_waiting(run, note, process);
    if (!had_waited && launch(run, note, process) < 0) return fail(reply, STAGE_FORK, errno);
    close_stdio(run);
    int watched = watch(run, process, control, note, reply);
    int error = errno;
    if (note->error) return fail(reply, note->stage, note->error);
    // killed while it waited: the program had no part
    if (had_waited && note->stage < STAGE_EXEC) return fail(reply, STAGE_FORK, ESRCH);
    if (watched < 0) return fail(reply, STAGE_WATCH, error);
    reply->read_calls = less(reply->read_calls, before.read_calls);
    reply->read_bytes = less(reply->read_bytes, before.read_bytes);
    reply->write_calls = less(reply->write_calls, before.write_calls);
    reply->write_bytes = less(reply->write_bytes, before.write_bytes);
}

static void serve_one(int control, struct launch_note *note) {
    static struct run run;
    struct process process = {.pidfd = -1, .stat_fd = -1, .schedstat_fd = -1};
    struct reply reply = {0};
    int fds[MAX_COLLECTS];
    drop_waiting_unless_asked(control);
    if (receive_run(control, &run) < 0) {
        fail(&reply, STAGE_REQUEST, errno);
        drop_waiting();
        return send_reply(control, &reply, NULL, 0);
    }
    if (run.request.flags & FLAG_AHEAD) {
        make_waiting(&run, note);
        return close_run(&run);
    }
    int box = open_scratch(&run), has_scratch = box >= 0;
    if (has_scratch) run_program(&run, control, note, &process, &reply);
    else fail(&reply, STAGE_SCRATCH, errno);
    drop_waiting();  // it was not for this run
    int has_run = reply.kind == REPLY_DONE && !(run.request.flags & FLAG_MEASURE_ONLY);
    size_t count = has_run ? collect(&run, box, &reply, fds) : 0;
    send_reply(control, &reply, fds, count);
    // What is below takes its time while the host reads the answer.
    for (size_t i = 0; i < count; i++) close(fds[i]);
    close_process(&process);
    close_run(&run);
    if (has_scratch) close_scratch(&run, reply.kind == REPLY_DONE && run.request.flags & FLAG_KEEP);
}

struct service {
    int control;
    struct launch_note *note;
};

static void serve(void *argument) {
    const struct service *service = argument;
    for (;;) serve_one(service->control, service->note);
}

// The init keeps its capabilities, but whatever it executes gets none of them.
static int bequeath_nothing(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, sets) < 0) return -1;
    for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) sets[i].inheritable = 0;
    if (syscall(SYS_capset, &header, sets) < 0 || prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
        return -1;
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0) return -1;
    return 0;
}

// Nobody in here has to write to /proc; who may can lower the mark of his highest memory (clear_refs).
static int close_proc(void) {
    return mount(NULL, "/proc", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

// What the worker ignores is not the program's. By system call: the C library keeps 32 and 33 to itself.
static void reset_signals(void) {
    // struct kernel_sigaction of <asm/signal.h>: SIG_DFL, no flags, empty mask
    const unsigned long by_default[4] = {0};
    for (int number = 1; number <= 64; number++)
        syscall(SYS_rt_sigaction, number, by_default, NULL, sizeof *by_default);
}

static int enter_and_execute(int argc, char **argv) {
    int descriptors[MAX_CGROUPS];
    const int count = atoi(argv[2]);
    if (count < 0 || count > MAX_CGROUPS || argc < 4 + count) return 2;
    for (int i = 0; i < count; i++) descriptors[i] = atoi(argv[3 + i]);
    raise_limits();
    if (enter_groups(descriptors, count) < 0) return 1;
    prctl(PR_SET_NAME, "tally-jail");
    execv(argv[3 + count], argv + 3 + count);
    perror(argv[3 + count]);
    return 1;
}

int main(int argc, char **argv) {
    if (argc >= 4 && strcmp(argv[1], "enter") == 0) return enter_and_execute(argc, argv);
    if (argc == 2 && strcmp(argv[1], "policy") == 0) return print_policy(), 0;
    if (argc == 2 && strcmp(argv[1], "filter") == 0) return build_filter(), write_filter(), 0;
    if (argc != 2 || getpid() != 1) {
        fputs("this is the init of a jail: it runs as process 1 of a PID namespace only\n", stderr);
        return 2;
    }
    int control = atoi(argv[1]);
    fcntl(control, F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_NAME, "tally-init");
    reset_signals();
    signal(SIGPIPE, SIG_IGN);
    struct launch_note *note = mmap(NULL, sizeof *note, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct service service = {control, note};
    struct reply ready = {.kind = REPLY_READY};
    int work_fds[WORK_FOLDERS] = {-1, -1};
    if (bequeath_nothing() < 0 || close_proc() < 0 || setdomainname("(none)", 6) < 0)
        fail(&ready, STAGE_CREDENTIALS, errno);
    else if (note == MAP_FAILED || prepare_launches(work_fds) < 0 || prepare_accounts() < 0 || build_filter() < 0 ||
             start_runner(serve, &service) < 0 || make_noise() < 0)
        fail(&ready, STAGE_FILTER, errno ? errno : EINVAL);
    send_reply(control, &ready, work_fds, ready.kind == REPLY_READY ? WORK_FOLDERS : 0);
    if (ready.kind != REPLY_READY) return 1;
    for (int i = 0; i < WORK_FOLDERS; i++) close(work_fds[i]);
    serve_runner();
}
