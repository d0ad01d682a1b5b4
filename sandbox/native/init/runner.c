// The two threads of the init: the runner, whose children the programs are, and the main thread, which mounts for it.
//
// How it works: putting the filter on takes a quarter as long as running a small program. A thread can have it for
// itself, so the runner puts it on once, with the mount namespace without mounts, and all programs inherit both. It
// makes no call any more that the filter refuses. Mounting is one: it has the main thread do that, mostly while the
// host has other things to do.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "init.h"

enum { RUNNER_STACK_BYTES = 256 * 1024 };
enum { SLICE_NS = 100 * 1000 };  // the shortest that the kernel has

static struct {
    sem_t asked, done;
    void (*work)(void *);
    void *argument;
} main_thread;

static struct {
    sem_t is_prepared;
    int error;
    void (*life)(void *);
    void *argument;
} runner;

static void wait_for(sem_t *semaphore) {
    while (sem_wait(semaphore) < 0) continue;  // EINTR
}

void on_main(void (*work)(void *), void *argument) {
    main_thread.work = work, main_thread.argument = argument;
    sem_post(&main_thread.asked);
    wait_for(&main_thread.done);
}

// Where a core is full, the scheduler lets a thread with a short slice go first when it wakes up; its share of the core
// stays what it was. What it makes has the usual slice. Linux 6.12; earlier kernels ignore it. sandbox/scheduling.py
// does the same for the host's end.
static void take_short_slices(void) {
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {.size = sizeof attributes,
                    .policy = SCHED_OTHER,
                    .flags = 1 /* SCHED_FLAG_RESET_ON_FORK */,
                    .runtime = SLICE_NS};
    attributes.nice = getpriority(PRIO_PROCESS, 0);
    if (sched_getscheduler(0) != SCHED_OTHER || attributes.nice < 0) return;  // its programs would have neither
    syscall(SYS_sched_setattr, 0, &attributes, 0);
}

_Noreturn void serve_runner(void) {
    take_short_slices();
    for (;;) {
        wait_for(&main_thread.asked);
        main_thread.work(main_thread.argument);
        sem_post(&main_thread.done);
    }
}

static void *live(void *unused) {
    take_short_slices();
    // CLONE_FS: the root that it changes is to be its alone
    if (unshare(CLONE_FS) < 0 || leave_mounts() < 0 || install_filter() < 0) runner.error = errno;
    sem_post(&runner.is_prepared);
    if (!runner.error) runner.life(runner.argument);
    return unused;
}

int start_runner(void (*life)(void *), void *argument) {
    pthread_attr_t attributes;
    pthread_t thread;
    runner.life = life, runner.argument = argument;
    if (sem_init(&main_thread.asked, 0, 0) < 0 || sem_init(&main_thread.done, 0, 0) < 0 ||
        sem_init(&runner.is_prepared, 0, 0) < 0)
        return -1;
    errno = pthread_attr_init(&attributes);
    if (!errno) errno = pthread_attr_setstacksize(&attributes, RUNNER_STACK_BYTES);
    if (!errno) errno = pthread_create(&thread, &attributes, live, NULL);
    if (errno) return -1;
    wait_for(&runner.is_prepared);
    errno = runner.error;
    return runner.error ? -1 : 0;
}
