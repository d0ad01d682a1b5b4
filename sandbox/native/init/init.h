// The jail's init: what its parts share, and the layout of the messages between host and init.
// sandbox/jail/protocol.py mirrors `struct request` and `struct reply`; both sides check PROTOCOL_VERSION.
#ifndef TALLY_INIT_H
#define TALLY_INIT_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>

#define PROTOCOL_VERSION 5
#define MAX_MESSAGE (128 * 1024)
#define MAX_CGROUPS 8
#define OWN_DESCRIPTORS 6  // that come with every request, before those of the groups
#define MAX_STRINGS 4096
#define MAX_COLLECTS 16
#define WORK_FOLDERS 2
#define PROGRAM_ID 1000     // user and group of the program, inside the jail
#define SCRATCH "/scratch"  // a fresh tmpfs per run
#define BOX SCRATCH "/box"  // the program's working directory
#ifdef __x86_64__
#define CHILD_SHARES_MEMORY 1  // with the runner, until it executes the program
#else
#define CHILD_SHARES_MEMORY 0
#endif

// Host to init: run one program. Followed by argc + envc + directories + collects + placed strings, each ended by NUL.
// With it come 6 + cgroups descriptors: stdin, stdout, stderr, the files that stdout and stderr end in, the group's CPU
// account, then the groups to enter.
struct request {
    uint32_t version;
    uint32_t argc, envc, directories, collects;
    // names in the working directory, each followed by the file that is to be found there; so an even number
    uint32_t placed;
    uint32_t cgroups;  // descriptors of v1 `tasks` files; or, with FLAG_CLONE_INTO, of one v2 group's folder
    uint32_t flags;
    uint32_t cores;  // how many cores the run can keep busy at once
    uint64_t cpu_stop_us, wall_stop_us;
    uint64_t output_bytes, stderr_bytes, file_bytes, stack_bytes;
    uint64_t scratch_bytes, scratch_inodes, open_files;
};
_Static_assert(sizeof(struct request) == 112,
               "four bytes lie between the two kinds of numbers: sandbox/jail/protocol.py");

enum flag {
    FLAG_CLONE_INTO = 1,    // cgroup v2
    FLAG_MEASURE_ONLY = 2,  // only measure what executing argv[0] reads, so that the next run is one exec
    FLAG_KEEP = 4,          // keep the scratch folders for the next run, which may go on in them
    FLAG_GO_ON = 8,         // go on in the scratch folders of the run before, which kept them
    // no run yet: these are the groups of the next one, and nothing else comes along; there is no reply
    FLAG_AHEAD = 16
};
enum reply_kind { REPLY_READY = 1, REPLY_DONE = 2, REPLY_FAILED = 3 };
enum stage {
    STAGE_NONE,
    STAGE_REQUEST,
    STAGE_SCRATCH,
    STAGE_FORK,
    STAGE_CGROUP,
    STAGE_CREDENTIALS,
    STAGE_FILTER,
    STAGE_EXEC,
    STAGE_WATCH
};
enum stop { STOP_NONE, STOP_CPU, STOP_WALL, STOP_STDOUT, STOP_STDERR };

// Init to host. With REPLY_READY come descriptors of the work folder in mounts of their own, to write and read-only,
// through which the host opens the program's streams: so that their names in /proc begin there. With REPLY_DONE come
// those of the collected files, one for each bit set in `collected`.
struct reply {
    uint32_t version, kind;
    int32_t error;        // REPLY_FAILED: errno
    uint32_t stage;       // REPLY_FAILED: enum stage
    int32_t wait_status;  // as from wait4
    uint32_t stopped;     // enum stop: why the init stopped the run, if it did
    uint32_t collected;   // bit i: file i of the request was there and regular
    uint32_t is_single;   // 1: the run was one process
    uint64_t wall_us, user_us, system_us, max_rss_bytes;
    uint64_t minor_faults, major_faults, voluntary_switches, involuntary_switches;
    uint64_t read_calls, write_calls, read_bytes, write_bytes;
    uint64_t group_cpu_us;  // the group's own account of CPU time
    uint64_t scratch_used_bytes;
    uint64_t queued_us;  // the first thread was ready to run, and the machine gave it no core
    uint64_t ended_us;   // when the program had ended, by CLOCK_MONOTONIC
    uint64_t late_us;    // of the wall time: by how much the watcher's looks came later than planned, together
    uint64_t longest_late_us;
    uint64_t gap_us;        // of late_us: those so late that it or the whole machine stood still
    uint64_t stopped_us;    // of the wall time: looks found the program stopped (SIGSTOP), by whomever
    uint64_t suspended_us;  // the machine slept; in no wall time
};

// A parsed request.
struct run {
    struct request request;
    char *strings[MAX_STRINGS];
    char **argv, **environment, **directories, **collects, **placed;
    int stdio[3], has_stdio, output_fd, errors_fd, cpu_fd, cgroup_fd[MAX_CGROUPS];
    uint64_t group_cpu_before_us;  // what the group had used before the program started
};

// What the child tells before it becomes the program; in memory that both share.
struct launch_note {
    struct timespec started;
    uint64_t asked_us;            // when the runner went to make the child
    uint64_t asleep_us;           // how long the machine had slept until then
    struct rusage spent;          // by the child itself, before exec
    struct rusage spent_waiting;  // of that, what it had spent before it was asked for (ahead.c)
    int error;
    enum stage stage;
};

// A run's process. The descriptors are of its accounts in /proc: opened before it ends, they need no look-up after it;
// -1: not opened.
struct process {
    pid_t pid;
    int pidfd, stat_fd, schedstat_fd;
    uint64_t queued_before_us;  // it had waited so long for a core before it was asked for
};

struct io_counts {
    uint64_t read_calls, write_calls, read_bytes, write_bytes;
};

// A difference of what only grows.
static inline uint64_t less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

// launch.c, on the runner alone: start the program; returns 0, or -1 with errno set.
int launch(const struct run *run, struct launch_note *note, struct process *process);
// The same of a process that enters its groups and then waits for its streams, which `channel` brings it.
int launch_waiting(const struct run *run, struct launch_note *note, struct process *process, int channel);
void close_process(struct process *process);
int leave_mounts(void);  // of the calling thread, which must not share its root with others
// launch.c: what the kernel itself reads while it executes argv[0] (ELF headers), counted as the program's reads.
int prepare_launches(int work_fds[WORK_FOLDERS]);
int measure_exec_reads(const struct run *run, struct launch_note *note, struct io_counts *reads);

// ahead.c: the process of the next run, made before that is asked for.
void make_waiting(const struct run *groups, struct launch_note *note);
int use_waiting(const struct run *run, struct launch_note *note, struct process *process);  // 1: it is the run's now
void drop_waiting(void);
void drop_waiting_unless_asked(int control);  // soon

// runner.c: start the thread that does all but mounting, `life`; then the main thread does for ever what `on_main` has
// it do.
int start_runner(void (*life)(void *), void *argument);
void on_main(void (*work)(void *), void *argument);  // waits until it is done
_Noreturn void serve_runner(void);

// noise.c: move the counters that runs of all jails draw from by random numbers.
int make_noise(void);

// scratch.c: the run's fresh folders; a descriptor of its working directory, or -1 with errno set.
int open_scratch(struct run *run);
void close_scratch(struct run *run, int is_kept);
// Opens the wanted files, following nothing that the program made: no link, no way out of the folder, regular files
// only.
size_t collect(const struct run *run, int box, struct reply *reply, int *fds);

// watch.c: wait for the program, stop it at its limits, kill what is left, add up what it used.
// Returns 0, or -1 with errno set; exits when the host is gone.
int watch(const struct run *run, const struct process *process, int control, const struct launch_note *note,
          struct reply *reply);
void open_accounts(struct process *process);
uint64_t read_queued_us(const struct process *process);
// Waits for a process that is dead and adds what it and its children read and wrote; to be asked once per process.
int take_dead(pid_t pid, int *status, struct rusage *usage, struct io_counts *io);
int prepare_accounts(void);
int read_group_cpu(int fd, uint64_t *us);
uint64_t now_us(void);
uint64_t asleep_us(void);

// filter.c: the system-call filter. Built once, put on by the runner; its children put on one of the others, just
// before exec.
int build_filter(void);
void write_filter(void);  // the instructions (struct sock_filter) to stdout
int install_filter(void);
int install_last_filter(void);
int install_exec_only_filter(void);

#endif
