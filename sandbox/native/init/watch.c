// Watching one run: limits, the end, what is left over, and the kernel's account of it all.
//
// How the time is told: the watcher looks at least every LOOK_EVERY_MS, and one reading of the clock belongs to each
// look. What passed beyond the planned wait is its lateness. The limit of wall time does not count that: it may have
// been stopped, alone or with the program, or the whole machine was. A program that is stopped while the watcher is not
// does use up its time, since it may have stopped itself; it is noted.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init.h"

enum { MOST_AT_ONCE = 256 };
enum { LOOK_EVERY_MS = 50 };  // at stdout's size and for orphans; the file-size limit bounds what is written in between
enum { GAP_US = 250 * 1000 };  // so late a look is no matter of a full machine; sandbox/jail/patience.py has the same

static uint64_t timeval_us(struct timeval t) { return t.tv_sec * 1000000ULL + t.tv_usec; }

static uint64_t cpu_us(const struct rusage *usage) { return timeval_us(usage->ru_utime) + timeval_us(usage->ru_stime); }

static uint64_t timespec_us(const struct timespec *t) { return t->tv_sec * 1000000ULL + t->tv_nsec / 1000; }

static uint64_t clock_us(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return timespec_us(&now);
}

uint64_t now_us(void) { return clock_us(CLOCK_MONOTONIC); }

uint64_t asleep_us(void) {
    uint64_t awake = now_us();
    return less(clock_us(CLOCK_BOOTTIME), awake);
}

// The looks at one run.
struct looks {
    uint64_t last_us, due_us;  // the last one, and when the next one is planned
    uint64_t started_us;       // the program's start, as it was noted at the last one
};

// One more look, now: how late it is. What was late before the program's start is in no wall time.
static void look(struct looks *looks, const struct launch_note *note, struct reply *reply) {
    looks->last_us = now_us();
    uint64_t started = timespec_us(&note->started);
    if (started != looks->started_us) reply->late_us = reply->longest_late_us = reply->gap_us = 0;
    looks->started_us = started;
    uint64_t late = less(looks->last_us, looks->due_us > started ? looks->due_us : started);
    reply->late_us += late;
    if (late > reply->longest_late_us) reply->longest_late_us = late;
    if (late >= GAP_US) reply->gap_us += late;
    looks->due_us = looks->last_us;
}

// Reads what a file of the kernel says now, as text; returns -1 when it says nothing.
static int read_text(int fd, char *text, size_t size) {
    ssize_t length = pread(fd, text, size - 1, 0);
    if (length <= 0) return -1;
    text[length] = 0;
    return 0;
}

// CPU time of the run's group: v1 cpuacct.usage (nanoseconds), v2 cpu.stat (usage_usec).
int read_group_cpu(int fd, uint64_t *us) {
    char text[512];
    if (read_text(fd, text, sizeof text) < 0) return -1;
    if (strncmp(text, "usage_usec ", 11) == 0) *us = strtoull(text + 11, NULL, 10);
    else *us = strtoull(text, NULL, 10) / 1000;
    return 0;
}

static int own_io_fd;  // our own /proc/self/io

int prepare_accounts(void) { return own_io_fd = open("/proc/self/io", O_RDONLY | O_CLOEXEC); }

// What the init and all that it waited for has read and written, this read not included; returns its length.
static int read_own_io(struct io_counts *counts) {
    char text[512];
    unsigned long long rchar, wchar, syscr, syscw;
    if (read_text(own_io_fd, text, sizeof text) < 0) return -1;
    if (sscanf(text, "rchar: %llu wchar: %llu syscr: %llu syscw: %llu", &rchar, &wchar, &syscr, &syscw) != 4) return -1;
    *counts = (struct io_counts){.read_bytes = rchar, .write_bytes = wchar, .read_calls = syscr, .write_calls = syscw};
    return strlen(text);
}

// As it waits for a dead process the kernel adds that one's books to ours: its calls, its threads' and those of all the
// processes that it waited for itself. A zombie's own /proc/PID/io belongs to the host's root and cannot be opened
// here.
int take_dead(pid_t pid, int *status, struct rusage *usage, struct io_counts *io) {
    struct io_counts before, after;
    int length = read_own_io(&before);
    if (length < 0 || wait4(pid, status, 0, usage) != pid || read_own_io(&after) < 0) return -1;
    io->read_calls += after.read_calls - before.read_calls - 1;  // the first reading was a call of ours
    io->read_bytes += after.read_bytes - before.read_bytes - length;
    io->write_calls += after.write_calls - before.write_calls;
    io->write_bytes += after.write_bytes - before.write_bytes;
    return 0;
}

static int open_account(pid_t pid, const char *name) {
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

void open_accounts(struct process *process) {
    process->stat_fd = open_account(process->pid, "stat");
    process->schedstat_fd = open_account(process->pid, "schedstat");
}

// How long a process waited for a core: second number of its schedstat, in nanoseconds; 0 where the kernel does not
// tell.
uint64_t read_queued_us(const struct process *process) {
    char text[128];
    unsigned long long on_core, queued;
    if (read_text(process->schedstat_fd, text, sizeof text) < 0) return 0;
    return sscanf(text, "%llu %llu", &on_core, &queued) == 2 ? queued / 1000 : 0;
}

static int is_stopped(pid_t pid) {
    char text[1024];
    int fd = open_account(pid, "stat"), unread = read_text(fd, text, sizeof text);
    if (fd >= 0) close(fd);
    char *after_name = unread < 0 ? NULL : strrchr(text, ')');
    return after_name && strncmp(after_name, ") T", 3) == 0;
}

// Whether any process of the run is stopped.
static int any_stopped(void) {
    DIR *processes = opendir("/proc");
    int found = 0;
    for (struct dirent *entry; processes && !found && (entry = readdir(processes));)
        found = is_stopped(atoi(entry->d_name));
    if (processes) closedir(processes);
    return found;
}

// Whether the program itself is stopped, which may be asked at each look. Who stopped it nobody tells.
static int is_program_stopped(pid_t pid) {
    siginfo_t info = {0};
    return waitid(P_PID, pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

// Whether a zombie had children that it waited for: their page faults are field 11 of its stat line.
static int had_children(const struct process *process) {
    char text[1024];
    unsigned long faults = 0;
    if (read_text(process->stat_fd, text, sizeof text) < 0) return 1;
    char *after_name = strrchr(text, ')');
    if (!after_name || sscanf(after_name + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %lu", &faults) != 1) return 1;
    return faults != 0;
}

static void add_usage(struct reply *reply, const struct rusage *usage) {
    reply->user_us += timeval_us(usage->ru_utime);
    reply->system_us += timeval_us(usage->ru_stime);
    reply->minor_faults += usage->ru_minflt;
    reply->major_faults += usage->ru_majflt;
    reply->voluntary_switches += usage->ru_nvcsw;
    reply->involuntary_switches += usage->ru_nivcsw;
    uint64_t resident = usage->ru_maxrss * 1024ULL;
    if (resident > reply->max_rss_bytes) reply->max_rss_bytes = resident;
}

// Takes the account of one dead process and lets it go.
static int reap(pid_t pid, int *status, struct reply *reply) {
    struct rusage usage;
    struct io_counts io = {0};
    if (take_dead(pid, status, &usage, &io) < 0) return -1;
    add_usage(reply, &usage);
    reply->read_calls += io.read_calls, reply->write_calls += io.write_calls;
    reply->read_bytes += io.read_bytes, reply->write_bytes += io.write_bytes;
    return 0;
}

// Orphans that ended: processes whose parent did not wait for them. Stops at the program itself, which is taken last.
static int reap_orphans(pid_t program, int flags, struct reply *reply) {
    // while others still run: so many at a time, or who makes them faster than we take them would never see a limit
    for (int left = MOST_AT_ONCE; left > 0; left -= flags & WNOHANG ? 1 : 0) {
        siginfo_t info = {0};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | __WALL | flags) < 0) return errno == ECHILD ? 0 : -1;
        if (info.si_pid == 0 || info.si_pid == program) return 0;
        reply->is_single = 0;
        int status;
        if (reap(info.si_pid, &status, reply) < 0) return -1;
    }
    return 0;
}

// Wall time as the limit counts it: not that in which we were late, nor that in which the program was ready and the
// machine gave it no core, up to once the limit. What its own threads take from each other there the limit of CPU time
// bounds.
static uint64_t wall_that_counts_us(const struct process *process, const struct looks *looks, uint64_t late_us,
                                    uint64_t limit_us) {
    uint64_t wall = less(looks->last_us, looks->started_us + late_us);
    if (wall < limit_us) return wall;  // asking costs
    uint64_t queued = less(read_queued_us(process), process->queued_before_us);
    return less(wall, queued < limit_us ? queued : limit_us);
}

// Why the run has to stop now; else STOP_NONE, and *wait_ms says when to look again. -1 when an account cannot be read.
static int check_limits(const struct run *run, const struct process *process, const struct looks *looks,
                        uint64_t late_us, int *wait_ms) {
    const struct request *limit = &run->request;
    uint64_t wall = wall_that_counts_us(process, looks, late_us, limit->wall_stop_us), cpu = 0;
    struct stat output, errors;
    if (read_group_cpu(run->cpu_fd, &cpu) < 0 || fstat(run->output_fd, &output) < 0 ||
        fstat(run->errors_fd, &errors) < 0)
        return -1;
    cpu = less(cpu, run->group_cpu_before_us);
    if (cpu >= limit->cpu_stop_us) return STOP_CPU;
    if (wall >= limit->wall_stop_us) return STOP_WALL;
    if ((uint64_t)output.st_size > limit->output_bytes) return STOP_STDOUT;
    if ((uint64_t)errors.st_size > limit->stderr_bytes) return STOP_STDERR;
    uint64_t next = (limit->cpu_stop_us - cpu) / limit->cores;
    if (limit->wall_stop_us - wall < next) next = limit->wall_stop_us - wall;
    *wait_ms = next / 1000 < LOOK_EVERY_MS ? next / 1000 + 1 : LOOK_EVERY_MS;
    return STOP_NONE;
}

// Waits until the program ends or has to be stopped; returns enum stop, or -1 when it cannot be watched any more.
static int wait_for_end(const struct run *run, const struct process *process, int control,
                        const struct launch_note *note, struct looks *looks, struct reply *reply) {
    const pid_t pid = process->pid;
    struct pollfd watched[] = {{.fd = process->pidfd, .events = POLLIN}, {.fd = control, .events = 0}};
    for (int wait_ms = 1;;) {
        uint64_t last = looks->last_us;
        looks->due_us = last + wait_ms * 1000ULL;
        if (poll(watched, 2, wait_ms) < 0) {
            if (errno == EINTR) continue;
            return -1;
        }
        if (watched[1].revents & (POLLHUP | POLLERR)) {  // the host is gone: so is the run
            kill(-1, SIGKILL);
            _exit(1);
        }
        look(looks, note, reply);
        if (watched[0].revents & POLLIN) return STOP_NONE;
        if (is_program_stopped(pid))
            reply->stopped_us += less(looks->last_us, last > looks->started_us ? last : looks->started_us);
        int stop = check_limits(run, process, looks, reply->late_us, &wait_ms);
        if (stop == STOP_WALL && any_stopped()) reply->stopped_us += !reply->stopped_us;  // since when is not known
        if (stop != STOP_NONE) return stop;
        if (reap_orphans(pid, WNOHANG, reply) < 0) return -1;
    }
}

static void subtract_launch(const struct rusage *spent, struct reply *reply) {
    reply->user_us = less(reply->user_us, timeval_us(spent->ru_utime));
    reply->system_us = less(reply->system_us, timeval_us(spent->ru_stime));
    reply->minor_faults = less(reply->minor_faults, spent->ru_minflt);
    reply->major_faults = less(reply->major_faults, spent->ru_majflt);
    reply->voluntary_switches = less(reply->voluntary_switches, spent->ru_nvcsw);
    reply->involuntary_switches = less(reply->involuntary_switches, spent->ru_nivcsw);
}

// Whether the program left anything behind. Each process of the namespace descends from its process 1 through living
// ones, as it becomes a child of that when its parent ends: so without a child of ours there is none. A kill(-1) for
// nobody would look at all of the host's.
static int has_children(void) {
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 || errno != ECHILD;
}

// Waits for the program, ends what it left behind and adds up what they used; goes on to the end whatever fails on the
// way.
static int account(const struct process *process, int stop, const struct launch_note *note, struct looks *looks,
                   struct reply *reply) {
    const pid_t pid = process->pid;
    siginfo_t info;
    int failed = waitid(P_PID, pid, &info, WEXITED | WNOWAIT) < 0;
    if (stop == STOP_NONE) look(looks, note, reply);
    else looks->last_us = now_us();  // how long it takes to die is no lateness of ours
    reply->ended_us = looks->last_us;
    reply->wall_us = less(reply->ended_us, timespec_us(&note->started));
    uint64_t asleep = less(asleep_us(), note->asleep_us);
    reply->suspended_us = asleep >= GAP_US ? asleep : 0;  // less is what lay between two readings of two clocks
    if (had_children(process)) reply->is_single = 0;
    reply->queued_us = less(read_queued_us(process), process->queued_before_us);
    failed |= reap(pid, &reply->wait_status, reply) < 0;
    if (has_children()) {
        // pid 1 of this namespace: reaches what the program left behind
        if (kill(-1, SIGKILL) == 0) reply->is_single = 0;
        failed |= reap_orphans(0, 0, reply) < 0;
    }
    return failed ? -1 : 0;
}

int watch(const struct run *run, const struct process *process, int control, const struct launch_note *note,
          struct reply *reply) {
    reply->is_single = 1;
    struct looks looks = {.last_us = note->asked_us, .due_us = note->asked_us};
    int stop = wait_for_end(run, process, control, note, &looks, reply);
    if (stop != STOP_NONE) kill(process->pid, SIGKILL);
    // An account that cannot be read is our failure, never a limit that the program hit.
    if (account(process, stop, note, &looks, reply) < 0 || stop < 0 ||
        read_group_cpu(run->cpu_fd, &reply->group_cpu_us) < 0)
        return -1;
    if (stop != STOP_NONE) reply->stopped = stop;
    uint64_t launch_us = less(cpu_us(&note->spent), cpu_us(&note->spent_waiting));  // the rest was used before
    reply->group_cpu_us = less(reply->group_cpu_us, run->group_cpu_before_us + launch_us);
    subtract_launch(&note->spent, reply);
    return 0;
}
