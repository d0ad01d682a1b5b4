/* Calls that never come back, come back twice, or go by other numbers; the argument names the oddity. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void nothing(int signal) { (void)signal; }

/* Threads tell by a byte that they have begun; whoever waits for it gives them time to return from telling. */
static int begun[2];

static void has_begun(void) { write(begun[1], "x", 1); }

static void await_thread(void) {
    char byte;

    read(begun[0], &byte, 1);
    usleep(100 * 1000);
}

static void *sleeper(void *unused) {
    has_begun();
    pause();
    return unused;
}

static void *terminates(void *unused) {
    await_thread();
    kill(getpid(), SIGTERM);
    pause();
    return unused;
}

static int number_of_thread;

static void *numbered_sleeper(void *unused) {
    number_of_thread = syscall(SYS_gettid);
    return sleeper(unused);
}

static void *crashes(void *unused) {
    await_thread();
    return *(void *volatile *)unused; /* of NULL */
}

static void *executes(void *unused) {
    await_thread();
    execl("/bin/echo", "echo", "of a thread", (char *)0);
    return unused;
}

/* A signal every 2 ms interrupts the read, and the kernel starts it again. */
static void restarts(void) {
    struct sigaction action = {.sa_handler = nothing, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    int ends[2];
    char byte;

    pipe(ends);
    sigaction(SIGALRM, &action, 0);
    if (fork() == 0) {
        usleep(50 * 1000);
        _exit(write(ends[1], "x", 1));
    }
    setitimer(ITIMER_REAL, &often, 0);
    read(ends[0], &byte, 1);
    setitimer(ITIMER_REAL, &never, 0);
    wait(0);
}

int main(int count, char **argument) {
    char *oddity = argument[1];
    pthread_t thread;
    sigset_t none, only_terminate;

    sigemptyset(&none);
    sigemptyset(&only_terminate);
    sigaddset(&only_terminate, SIGTERM);
    pipe(begun);
    write(1, "begin\n", 6);
    if (strcmp(oddity, "kills_itself") == 0) kill(getpid(), SIGKILL);
    if (strcmp(oddity, "kills_its_thread") == 0) syscall(SYS_tgkill, getpid(), getpid(), SIGKILL);
    if (strcmp(oddity, "terminates_itself") == 0) kill(getpid(), SIGTERM);
    if (strcmp(oddity, "is_terminated") == 0) {
        alarm(1);
        pause();
    }
    if (strcmp(oddity, "thread_terminates") == 0) { /* the first thread dies of it, the others of its death */
        sigprocmask(SIG_BLOCK, &only_terminate, 0);
        pthread_create(&thread, 0, sleeper, 0);
        pthread_create(&thread, 0, terminates, 0);
        sigsuspend(&none); /* dies here, whether the signal came before or comes now */
    }
    if (strcmp(oddity, "thread_crashes") == 0) {
        pthread_create(&thread, 0, crashes, 0);
        has_begun();
        pause();
    }
    if (strcmp(oddity, "other_thread_is_given") == 0) { /* what the first thread blocks, or another is sent alone */
        pthread_create(&thread, 0, numbered_sleeper, 0);
        await_thread();
        if (count > 2) syscall(SYS_rt_sigprocmask, SIG_BLOCK, &(long){1 << (SIGTERM - 1)}, 0, sizeof(long));
        if (count > 2) kill(getpid(), SIGTERM);
        else syscall(SYS_tgkill, getpid(), number_of_thread, SIGTERM);
        pause();
    }
    if (strcmp(oddity, "aborts") == 0) abort();
    if (strcmp(oddity, "restarts") == 0) restarts();
    if (strcmp(oddity, "thread_executes") == 0) {
        pthread_create(&thread, 0, executes, 0);
        has_begun();
        pthread_join(thread, 0); /* never comes back */
    }
    if (strcmp(oddity, "leaves_sleepers") == 0) {
        for (int i = 0; i < 3; i++) pthread_create(&thread, 0, sleeper, 0);
        for (int i = 0; i < 3; i++) await_thread();
    }
    for (int i = 0; i < 5 && strcmp(oddity, "vforks") == 0; i++) {
        if (vfork() == 0) _exit(write(1, "child\n", 6));
        wait(0);
    }
    for (int i = 0; i < 4 && strcmp(oddity, "i386") == 0; i++)
        __asm__ volatile("int $0x80" : : "a"(20 /* getpid; writev among ours */) : "memory");
    for (int i = 0; i < 4 && strcmp(oddity, "x32") == 0; i++) syscall(0x40000000 | SYS_getppid);
    return 0;
}
