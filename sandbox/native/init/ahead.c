// The process of the next run, made before that is asked for.
//
// How it works: much of what a run costs goes by before its program starts: the process is made, enters its fresh
// groups, changes its user and puts the last filter on. The host sends the groups of the next run while a run is under
// way (FLAG_AHEAD), and when that is over, and the host checks its output, the runner makes the process, which waits
// for its streams on a socket. A request whose groups are these uses it. Any other message, and MOST_WAIT_MS, end it:
// then a run starts as if nobody had been there.
//
// It is the program's process, not one that others had: what it spends before it is asked for is in no account, and it
// is made when nothing of the run before lives any more. A program sees the start of its process in clock ticks of 10
// ms; as none waits for longer than one tick, that does not tell for how long the jail had nothing to do.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init.h"

enum { MOST_WAIT_MS = 8, START_MS = 1000 };

static struct {
    struct process process;  // pid 0: nobody waits
    int channel;
    uint32_t groups;
    struct stat group[MAX_CGROUPS];  // the files by which it entered its groups
} waiting;

static int are_same(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int note_groups(const struct run *run) {
    waiting.groups = run->request.cgroups;
    for (uint32_t i = 0; i < waiting.groups; i++)
        if (fstat(run->cgroup_fd[i], &waiting.group[i]) < 0) return -1;
    return 0;
}

static int has_groups_of(const struct run *run) {
    struct stat group;
    if (waiting.groups != run->request.cgroups) return 0;
    for (uint32_t i = 0; i < waiting.groups; i++)
        if (fstat(run->cgroup_fd[i], &group) < 0 || !are_same(&group, &waiting.group[i])) return 0;
    return 1;
}

// It says that it is ready; where it ended before, the socket does.
static int is_ready(void) {
    struct pollfd answer = {.fd = waiting.channel, .events = POLLIN};
    char word;
    return poll(&answer, 1, START_MS) == 1 && recv(waiting.channel, &word, 1, 0) == 1;
}

void make_waiting(const struct run *groups, struct launch_note *note) {
    int channel[2];
    drop_waiting();
    if (!CHILD_SHARES_MEMORY) return;  // it has to see the request, which comes later
    if (note_groups(groups) < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) < 0) return;
    int failed = launch_waiting(groups, note, &waiting.process, channel[1]);
    close(channel[1]);
    if (failed) {
        waiting.process.pid = 0;
        close(channel[0]);
        return;
    }
    waiting.channel = channel[0];
    if (!is_ready()) return drop_waiting();
    open_accounts(&waiting.process);
}

static void forget(void) {
    waiting.process.pid = 0;
    close(waiting.channel);
}

void drop_waiting(void) {
    if (!waiting.process.pid) return;
    const pid_t pid = waiting.process.pid;
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
    close_process(&waiting.process);
    forget();
}

static int send_streams(const struct run *run) {
    _Alignas(struct cmsghdr) char ancillary[CMSG_SPACE(sizeof run->stdio)] = {0};
    char word = 0;
    struct iovec body = {.iov_base = &word, .iov_len = 1};
    struct msghdr header = {
        .msg_iov = &body, .msg_iovlen = 1, .msg_control = ancillary, .msg_controllen = sizeof ancillary};
    struct cmsghdr *part = CMSG_FIRSTHDR(&header);
    part->cmsg_level = SOL_SOCKET, part->cmsg_type = SCM_RIGHTS, part->cmsg_len = CMSG_LEN(sizeof run->stdio);
    memcpy(CMSG_DATA(part), run->stdio, sizeof run->stdio);
    return sendmsg(waiting.channel, &header, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

int use_waiting(const struct run *run, struct launch_note *note, struct process *process) {
    if (!waiting.process.pid) return 0;
    if (!has_groups_of(run)) return drop_waiting(), 0;
    waiting.process.queued_before_us = read_queued_us(&waiting.process);
    note->asked_us = now_us();
    note->asleep_us = asleep_us();
    clock_gettime(CLOCK_MONOTONIC, &note->started);       // until the process notes the real start
    if (send_streams(run) < 0) return drop_waiting(), 0;  // it is dead
    *process = waiting.process;
    forget();
    return 1;
}

void drop_waiting_unless_asked(int control) {
    if (!waiting.process.pid) return;
    struct pollfd asked = {.fd = control, .events = POLLIN};
    if (poll(&asked, 1, MOST_WAIT_MS) == 0) drop_waiting();
}
