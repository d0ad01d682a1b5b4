// Runs programs without any jail and says what each took: what a jail is compared with (sandbox/doctor/overhead.py
// starts it).
//
// How it works: descriptor 0 is one end of a SOCK_SEQPACKET socket. A request is one packet of strings, each ended by
// NUL: core (or "any"), files of stdin, stdout and stderr, then argv. It is answered by one packet of text, four
// numbers: wait status, wall time from before the fork until after the reaping in nanoseconds, user and system time in
// microseconds. It stays running and is small and static, so that its fork is as cheap as one can be.
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CONTROL = 0, MAX_MESSAGE = 64 * 1024, MAX_STRINGS = 256, CANNOT_RUN = 127 };
enum { CORE = 0, FIRST_STREAM = 1, ARGV = FIRST_STREAM + 3 };

// Cuts a packet into its strings; returns how many there are, or -1.
static int parse(char *text, size_t length, char **strings) {
    int count = 0;
    for (char *end = text + length, *zero; text < end; text = zero + 1) {
        zero = memchr(text, 0, end - text);
        if (!zero || count == MAX_STRINGS - 1) return -1;
        strings[count++] = text;
    }
    strings[count] = NULL;
    return count;
}

// This process goes to the core too, as the jail's init does: so the fork moves nothing between cores.
static int take_core(const char *core) {
    if (strcmp(core, "any") == 0) return 0;
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(atoi(core), &cores);
    return sched_setaffinity(0, sizeof cores, &cores);
}

static _Noreturn void become_program(char **strings) {
    for (int i = 0; i < 3; i++) {
        int fd = open(strings[FIRST_STREAM + i], i == 0 ? O_RDONLY : O_WRONLY | O_CREAT, 0600);
        if (fd < 0 || dup2(fd, i) < 0) _exit(CANNOT_RUN);
        if (fd > 2) close(fd);
    }
    execv(strings[ARGV], strings + ARGV);
    _exit(CANNOT_RUN);
}

static int run(char **strings, int *status, long long *wall_ns, struct rusage *usage) {
    struct timespec before, after;
    if (take_core(strings[CORE]) < 0) return -1;
    clock_gettime(CLOCK_MONOTONIC, &before);
    pid_t pid = fork();
    if (pid == 0) become_program(strings);
    if (pid < 0 || wait4(pid, status, 0, usage) != pid) return -1;
    clock_gettime(CLOCK_MONOTONIC, &after);
    *wall_ns = (after.tv_sec - before.tv_sec) * 1000000000LL + (after.tv_nsec - before.tv_nsec);
    return 0;
}

static long long microseconds(struct timeval t) { return t.tv_sec * 1000000LL + t.tv_usec; }

int main(void) {
    static char message[MAX_MESSAGE], *strings[MAX_STRINGS], answer[128];
    for (;;) {
        ssize_t length = recv(CONTROL, message, sizeof message, 0);
        if (length <= 0) return length < 0;  // 0: whoever asks is gone
        struct rusage usage;
        long long wall_ns;
        int status;
        if (parse(message, length, strings) <= ARGV || run(strings, &status, &wall_ns, &usage) < 0) return 1;
        int size = snprintf(answer, sizeof answer, "%d %lld %lld %lld", status, wall_ns, microseconds(usage.ru_utime),
                            microseconds(usage.ru_stime));
        if (send(CONTROL, answer, size, MSG_NOSIGNAL) != size) return 1;
    }
}
