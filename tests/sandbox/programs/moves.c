/* Bytes on every road between a program and its streams; the argument names the road, the test knows the counts. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char buffer[4096];
static struct iovec parts[2] = {{buffer, 4}, {buffer + 4, 6}};

static void families(void) {
    read(0, buffer, 10);
    pread(0, buffer, 10, 0);
    readv(0, parts, 2);
    preadv(0, parts, 2, 0);
    preadv2(0, parts, 2, -1, 0);
    memset(buffer, 'x', 10);
    write(1, buffer, 10);
    pwrite(1, buffer, 10, 10);
    writev(1, parts, 2);
    pwritev(1, parts, 2, 20);
    pwritev2(1, parts, 2, -1, 0);
    for (int i = 0; i < 3; i++) write(2, buffer, 2);
}

static void moves(int file) {
    int one[2], other[2];

    pipe(one);
    pipe(other);
    write(file, buffer, 100);                                       /* files 100 */
    sendfile(1, file, &(off_t){0}, 10);                             /* stdout 10, files 10 */
    copy_file_range(file, &(off_t){0}, file, &(off_t){200}, 20, 0); /* files 20 twice: both ends */
    splice(file, &(off_t){0}, one[1], 0, 30, 0);                    /* files 30 twice: both ends */
    tee(one[0], other[1], 30, 0);                                   /* files 30 twice */
    splice(one[0], 0, 1, 0, 30, 0);                                 /* stdout 30, files 30 */
    vmsplice(one[1], &(struct iovec){buffer, 40}, 1, 0);            /* files 40 */
    splice(0, 0, one[1], 0, 50, 0);                                 /* stdin 50, files 50 */
}

static void socket_in_place_of_stdout(void) {
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    int pair[2];

    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    dup2(pair[0], 1);
    write(1, buffer, 5);   /* files 5: descriptor 1 is another file now */
    send(1, buffer, 6, 0); /* by name only */
    sendmsg(1, &message, 0);
    recv(pair[1], buffer, 6, 0);
    recvmsg(pair[1], &message, 0);
    read(pair[1], buffer, 5); /* files 5 */
}

static void mapped(void) {
    char *place;

    ftruncate(1, 8192);
    place = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, 1, 0);
    memset(place, 'm', 8192);
    munmap(place, 8192);
}

static void fails(void) {
    read(-1, buffer, 1);
    write(99, buffer, 1);
    write(0, buffer, 1); /* not open for writing */
    writev(-1, parts, 2);
    read(0, 0, 10); /* EFAULT */
    write(1, 0, 0); /* nothing, and that works */
}

static void inherits(char *self) {
    dup2(1, 9);
    close(1);
    if (vfork() == 0) {
        execl(self, self, "inherited", (char *)0);
        _exit(1);
    }
    wait(0);
    write(9, buffer, 3); /* stdout 3 */
}

static void inherited(void) {
    for (int i = 0; i < 4; i++) write(9, buffer, 5); /* stdout 5 */
}

static int shares(void *unused) {
    dup2(2, 1);          /* for the parent too */
    write(1, buffer, 4); /* stderr 4 */
    return 0;
}

static void shared_table(void) {
    static char stack[65536];

    waitpid(clone(shares, stack + sizeof(stack), CLONE_FILES | SIGCHLD, 0), 0, 0);
    write(1, buffer, 4); /* stderr 4 */
}

static void buried(void) {
    int done[2];
    char none;

    pipe(done);
    signal(SIGCHLD, SIG_IGN); /* nobody has to wait for our children, and nobody can */
    if (fork() == 0) {
        for (int i = 0; i < 5; i++) write(1, buffer, 5); /* stdout 5 */
        _exit(0);
    }
    close(done[1]);
    read(done[0], &none, 1);
    wait(0);
    write(1, buffer, 5); /* stdout 5 */
}

int main(int count, char **argument) {
    int file = open("scratch", O_RDWR | O_CREAT | O_TRUNC, 0600);
    char *road = argument[1];

    if (strcmp(road, "families") == 0) families();
    if (strcmp(road, "moves") == 0) moves(file);
    if (strcmp(road, "socket") == 0) socket_in_place_of_stdout();
    if (strcmp(road, "mapped") == 0) mapped();
    if (strcmp(road, "fails") == 0) fails();
    if (strcmp(road, "inherits") == 0) inherits(argument[0]);
    if (strcmp(road, "inherited") == 0) inherited();
    if (strcmp(road, "shared_table") == 0) shared_table();
    if (strcmp(road, "buried") == 0) buried();
    return 0;
}
