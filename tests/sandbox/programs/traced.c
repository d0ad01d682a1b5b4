// Roads to a write, by argv[1]; sandbox/native/preloads/lines.c counts them.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define TABLE ".tally-writes"

static void put(const char *text) {
    if (write(1, text, strlen(text)) < 0) abort();
}

static void flushes(void) {
    for (int i = 0; i < 1000; i++) {
        printf("%d\n", i);
        fflush(stdout);
    }
}

static void calls(void) {
    const struct iovec parts[] = {{"a", 1}, {"bc", 2}};
    put("raw");
    if (writev(1, parts, 2) != 3 || pwrite(1, "x", 1, 0) != 1) abort();
    if (pwritev(1, parts, 2, 0) != 3 || pwritev2(1, parts, 2, -1, 0) != 3) abort();
    errno = 0;
    if (write(77, "x", 1) != -1 || errno != EBADF) abort();  // in nobody's books
    if (write(1, NULL, 0) != 0) abort();
}

static void *in_thread(void *letter) {
    for (int i = 0; i < 5000; i++) put(letter);
    return NULL;
}

static void threads(void) {
    pthread_t made[4];
    for (int i = 0; i < 4; i++) pthread_create(&made[i], NULL, in_thread, "t");
    for (int i = 0; i < 4; i++) pthread_join(made[i], NULL);
}

static void forks(void) {
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            put("child\n");
            _exit(0);
        }
    while (wait(NULL) > 0) {}
    put("parent\n");
}

// The program that is executed writes twice, seen by nobody.
static void executes(void) {
    put("before\n");
    if (system("echo one; echo two") != 0) abort();
}

static void on_signal(int number) {
    (void)number;
    put("handler\n");
}

static void handler(void) {
    static char stack[65536];
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_signal, .sa_flags = SA_ONSTACK}, NULL);
    sigaction(SIGSYS, &(struct sigaction){.sa_handler = on_signal}, NULL);
    raise(SIGALRM);
    raise(SIGSYS);
}

static void climb(int depth, int side) {
    if (!depth) return;
    climb(depth - 1, 0);
    if (side) put("right\n");
    climb(depth - 1, 1);
    put("left\n");
}

static void for_ever(void) {
    for (;;) put("line\n");
}

static void killed(void) {
    put("last\n");
    kill(getpid(), SIGKILL);
}

static void overwrites(void) {
    const int fd = open(TABLE, O_RDWR);
    struct stat status;
    fstat(fd, &status);
    unsigned char *table = mmap(NULL, status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    put("some\n");
    memset(table + 8, 0xff, status.st_size - 8);
}

static void replaces(void) {
    unlink(TABLE);
    symlink("/etc/passwd", TABLE);
    put("some\n");
}

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        void (*go)(void);
    } roads[] = {{"flushes", flushes},       {"calls", calls},      {"threads", threads},   {"forks", forks},
                 {"executes", executes},     {"handler", handler},  {"for_ever", for_ever}, {"killed", killed},
                 {"overwrites", overwrites}, {"replaces", replaces}};
    if (count > 1 && getenv("LD_PRELOAD")) return 98;
    if (count > 1 && !strcmp(arguments[1], "climbs")) return climb(17, 0), 0;
    for (size_t i = 0; count > 1 && i < sizeof roads / sizeof *roads; i++)
        if (!strcmp(arguments[1], roads[i].name)) return roads[i].go(), 0;
    return 99;
}
