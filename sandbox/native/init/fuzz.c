// The init's reading of requests under the compiler's sanitizers: `make build/fuzz`, driven by
// tests/sandbox/native/test_fuzz_parsing.py.
//
// `fuzz CGROUP` reads requests from stdin, each as number of descriptors (1 byte), length (4 bytes), packet. It sends
// itself each one, with CGROUP as every descriptor, and answers with one byte: + accepted, - refused.
#include <err.h>

#define main init_main
#include "init.c"
#undef main

#define MOST_DESCRIPTORS 253  // SCM_MAX_FD

static void send_request(int control, const void *packet, size_t length, int fd, int count) {
    _Alignas(struct cmsghdr) char ancillary[CMSG_SPACE(sizeof(int) * MOST_DESCRIPTORS)];
    struct iovec body = {.iov_base = (void *)packet, .iov_len = length};
    struct msghdr header = {
        .msg_iov = &body, .msg_iovlen = 1, .msg_control = ancillary, .msg_controllen = CMSG_SPACE(sizeof(int) * count)};
    if (count) {
        struct cmsghdr *part = CMSG_FIRSTHDR(&header);
        part->cmsg_level = SOL_SOCKET, part->cmsg_type = SCM_RIGHTS, part->cmsg_len = CMSG_LEN(sizeof(int) * count);
        for (int i = 0; i < count; i++) memcpy(CMSG_DATA(part) + i * sizeof fd, &fd, sizeof fd);
    } else {
        header.msg_control = NULL, header.msg_controllen = 0;
    }
    if (sendmsg(control, &header, 0) != (ssize_t)length) err(2, "sendmsg");
}

// Once more from memory that ends with the packet: one byte read beyond it is an error. All lists must end where they
// say.
static void parse_exactly(const struct request *request, const char *packet, size_t length) {
    static struct run run;
    size_t rest = length - sizeof *request;
    char *text = memcpy(malloc(rest + !rest), packet + sizeof *request, rest);
    run.request = *request;
    if (parse_strings(&run, text, rest) == 0) {
        char **lists[LISTS] = {run.argv, run.environment, run.directories, run.collects, run.placed};
        const uint32_t counts[LISTS] = {request->argc, request->envc, request->directories, request->collects,
                                        request->placed};
        size_t bytes = 0;
        for (int list = 0; list < LISTS; list++) {
            for (uint32_t i = 0; i < counts[list]; i++) bytes += strlen(lists[list][i]) + 1;
            if (lists[list][counts[list]]) errx(2, "a list does not end");
        }
        if (bytes != rest) errx(2, "the strings are not the packet's");
    }
    free(text);
}

static int try_request(const int *sockets, const char *packet, size_t length, int fd, int count) {
    static struct run run;
    send_request(sockets[0], packet, length, fd, count);
    int accepted = receive_run(sockets[1], &run) == 0;
    if (accepted) close_run(&run);
    if (length >= sizeof run.request) {
        struct request request;
        memcpy(&request, packet, sizeof request);
        if (makes_sense(&request)) parse_exactly(&request, packet, length);
    }
    return accepted;
}

int main(int argc, char **argv) {
    static char packet[2 * MAX_MESSAGE];
    int sockets[2], fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0) err(2, "fuzz CGROUP");
    int free_fd = dup(0);
    close(free_fd);
    unsigned char count;
    uint32_t length;
    while (fread(&count, sizeof count, 1, stdin) == 1) {
        if (fread(&length, sizeof length, 1, stdin) != 1 || !length || length > sizeof packet) errx(2, "no length");
        if (fread(packet, length, 1, stdin) != 1) errx(2, "no packet");
        putchar(try_request(sockets, packet, length, fd, count < MOST_DESCRIPTORS ? count : MOST_DESCRIPTORS) ? '+'
                                                                                                              : '-');
        if (close(dup(0)) < 0 || fcntl(free_fd, F_GETFD) >= 0) errx(2, "descriptors were kept");
    }
    return 0;
}
