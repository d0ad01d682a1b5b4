// own_09_descriptors_in_flight.cpp: sends sockets through each other until the kernel refuses, and ends with all in flight
// Expected: AC/RE. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>
static bool pass(int over, int fd) {
    char byte = 0, room[CMSG_SPACE(sizeof fd)] = {}; iovec body = {&byte, 1};
    msghdr h = {}; h.msg_iov = &body; h.msg_iovlen = 1; h.msg_control = room; h.msg_controllen = sizeof room;
    cmsghdr* c = CMSG_FIRSTHDR(&h); c->cmsg_level = SOL_SOCKET; c->cmsg_type = SCM_RIGHTS; c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd); return sendmsg(over, &h, MSG_DONTWAIT) == 1;
}
int main() {
    int last[2], next[2], sent = 0;
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, last)) return 1;
    for (int i = 0; i < 5000; i++) {
        if (socketpair(AF_UNIX, SOCK_DGRAM, 0, next)) break;
        sent += pass(next[0], last[0]) + pass(next[0], last[1]) + pass(next[1], 1);
        close(last[0]); close(last[1]); last[0] = next[0]; last[1] = next[1];
    }
    fprintf(stderr, "INFO %d in flight\n", sent); puts("3");
}
