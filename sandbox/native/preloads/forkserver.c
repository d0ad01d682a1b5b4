// A fork server: a process that has loaded nsjail and forks for each jail, instead of a fresh nsjail that loads itself.
//
// How it works: this library is preloaded into one nsjail per worker and takes the place of its main(). Executing
// nsjail, resolving the symbols of its libraries and running their constructors takes two thirds of the CPU time of
// opening a jail; the server has done it once. Descriptor 0 is one end of a SOCK_SEQPACKET socket. The server says one
// byte when it is ready. A request is one packet: the number of descriptors that the program keeps (uint32_t), then
// argv as strings, each ended by NUL; with it come descriptors: of stderr, those that the program keeps, those of the
// control groups to enter. A child enters the groups, has the kept descriptors as FIRST_KEPT, FIRST_KEPT + 1 and so on,
// and calls nsjail's own main(). The answer is one byte with a pidfd of the child. The server ends when its worker
// does: then the socket ends. sandbox/forkserver.py is the other end.
#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../init/enter.h"

#define EXPORTED __attribute__((visibility("default")))

enum { CONTROL = 0, FIRST_KEPT = 20, MAX_MESSAGE = 64 * 1024, MAX_ARGUMENTS = 512, MAX_DESCRIPTORS = 12 };

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

static main_function *own_main;

struct request {
    uint32_t kept;
    int argc;
    char *argv[MAX_ARGUMENTS + 1];
    int descriptors[MAX_DESCRIPTORS];
    size_t count;
};

static int parse(struct request *request, char *packet, size_t length) {
    if (length < sizeof request->kept) return -1;
    memcpy(&request->kept, packet, sizeof request->kept);
    request->argc = 0;
    for (char *text = packet + sizeof request->kept, *end = packet + length, *zero; text < end; text = zero + 1) {
        zero = memchr(text, 0, end - text);
        if (!zero || request->argc == MAX_ARGUMENTS) return -1;
        request->argv[request->argc++] = text;
    }
    request->argv[request->argc] = NULL;
    if (request->argc == 0 || request->kept >= request->count) return -1;
    for (size_t i = 0; i < request->count; i++)
        if (request->descriptors[i] >= FIRST_KEPT) return -1;  // they are moved there below
    return 0;
}

// Returns 0, or -1 when the message makes no sense; exits when the worker is gone.
static int receive(struct request *request) {
    static char packet[MAX_MESSAGE];
    _Alignas(struct cmsghdr) char ancillary[CMSG_SPACE(sizeof request->descriptors)];
    struct iovec body = {.iov_base = packet, .iov_len = sizeof packet};
    struct msghdr header = {
        .msg_iov = &body, .msg_iovlen = 1, .msg_control = ancillary, .msg_controllen = sizeof ancillary};
    const ssize_t length = recvmsg(CONTROL, &header, 0);
    if (length <= 0) _exit(0);
    struct cmsghdr *part = CMSG_FIRSTHDR(&header);
    request->count = 0;
    if (part && part->cmsg_type == SCM_RIGHTS) {
        request->count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(request->descriptors, CMSG_DATA(part), request->count * sizeof(int));
    }
    return header.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ? -1 : parse(request, packet, length);
}

// The child: prepares itself as `init enter` does for an nsjail that is executed. Ends without running destructors.
static _Noreturn void become_nsjail(struct request *request) {
    const size_t entrances = request->count - 1 - request->kept;
    dup2(request->descriptors[0], STDERR_FILENO);
    setsid();
    clearenv();
    if (enter_groups(request->descriptors + 1 + request->kept, entrances) < 0) _exit(1);
    for (uint32_t i = 0; i < request->kept; i++) dup2(request->descriptors[1 + i], FIRST_KEPT + i);
    for (size_t i = 0; i <= request->kept; i++) close(request->descriptors[i]);
    const int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0) _exit(1);
    close(nothing);
    prctl(PR_SET_NAME, "nsjail");
    _exit(own_main(request->argc, request->argv, environ));
}

static void answer(int pidfd) {
    _Alignas(struct cmsghdr) char ancillary[CMSG_SPACE(sizeof pidfd)] = {0};
    struct iovec body = {.iov_base = "!", .iov_len = 1};
    struct msghdr header = {
        .msg_iov = &body, .msg_iovlen = 1, .msg_control = ancillary, .msg_controllen = sizeof ancillary};
    struct cmsghdr *part = CMSG_FIRSTHDR(&header);
    part->cmsg_level = SOL_SOCKET, part->cmsg_type = SCM_RIGHTS, part->cmsg_len = CMSG_LEN(sizeof pidfd);
    memcpy(CMSG_DATA(part), &pidfd, sizeof pidfd);
    if (sendmsg(CONTROL, &header, MSG_NOSIGNAL) < 0) _exit(0);
}

static _Noreturn void serve(struct request *request) {
    for (;;) {
        if (receive(request) < 0) _exit(1);
        // nsjail waits for its child; and until the pidfd is there, nobody else may get the number
        signal(SIGCHLD, SIG_DFL);
        const pid_t pid = fork();
        if (pid == 0) become_nsjail(request);
        const int pidfd = pid < 0 ? -1 : syscall(SYS_pidfd_open, pid, 0);
        signal(SIGCHLD, SIG_IGN);  // the kernel reaps them
        while (waitpid(-1, NULL, WNOHANG) > 0) continue;
        for (size_t i = 0; i < request->count; i++) close(request->descriptors[i]);
        if (pidfd < 0) _exit(1);
        answer(pidfd);
        close(pidfd);
    }
}

static int fork_server(int argc, char **argv, char **environment) {
    (void)argc, (void)argv, (void)environment;
    static struct request request;
    prctl(PR_SET_NAME, "tally-forks");
    raise_limits();
    if (send(CONTROL, "!", 1, MSG_NOSIGNAL) != 1) return 1;
    serve(&request);
}

// nsjail looks each user and group of its arguments up, and takes it for a number if it has no such name. Ours are
// numbers.
EXPORTED struct passwd *getpwnam(const char *name) {
    (void)name;
    return NULL;
}

EXPORTED struct group *getgrnam(const char *name) {
    (void)name;
    return NULL;
}

EXPORTED int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                               void (*rtld_fini)(void), void *stack_end) {
    start_function *start = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");
    own_main = main;
    return start(fork_server, argc, argv, init, fini, rtld_fini, stack_end);
}
