// Ends in the way that its argument names.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int dividend = 5, zero, *nothing;

static int deeper(int level) {
    volatile char room[256];
    room[0] = level;
    return level < 0 ? 0 : deeper(level + 1) + room[0];
}

static void *in_thread(void *unused) {
    *nothing = 1;
    return unused;
}

static void ignore(int number) {
    (void)number;
    _exit(7);
}

static void overwrite(void) {
    volatile char room[8];
    for (volatile int i = 0; i < 4096; i++) room[i] = 1;
}

int main(int count, char **arguments) {
    const char *how = count > 1 ? arguments[1] : "";
    pthread_t thread;
    if (!strcmp(how, "null")) *nothing = 1;
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "divide")) return dividend / zero;
    if (!strcmp(how, "trap")) __builtin_trap();
    if (!strcmp(how, "raise")) raise(SIGSEGV), puts("it goes on");
    if (!strcmp(how, "recurse")) return deeper(1);
    if (!strcmp(how, "jump")) ((void (*)(void))nothing)();
    if (!strcmp(how, "overwrite")) overwrite();
    if (!strcmp(how, "thread")) pthread_create(&thread, NULL, in_thread, NULL), pthread_join(thread, NULL);
    if (!strcmp(how, "handles")) signal(SIGSEGV, ignore), *nothing = 1;
    if (!strcmp(how, "child")) {
        if (fork() == 0) *nothing = 1;
        wait(NULL);
        raise(SIGKILL);
    }
    if (!strcmp(how, "forges")) {
        const int table = open(".tally-ending", O_WRONLY);
        char all[1024];
        memset(all, 255, sizeof all);
        if (write(table, all, sizeof all) < 0) return 1;
        raise(SIGKILL);
    }
    if (!strcmp(how, "executes")) execl(arguments[0], arguments[0], "null", NULL);
    return 0;
}
