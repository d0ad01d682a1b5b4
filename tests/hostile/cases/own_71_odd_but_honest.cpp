// own_71_odd_but_honest.cpp: honest: other stacks, handlers, timers, processes, descriptors of every kind, and a crash that is caught
// Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
#include <cerrno>
#include <clocale>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#define MUST(x) do { errno = 0; if (!(x)) { fprintf(stderr, "%s: %m\n", #x); return 1; } } while (0)
extern char** environ;
static ucontext_t first, second;
static void other() { swapcontext(&second, &first); }
static sigjmp_buf back;
static volatile int ticks;
static int deep(int n) { volatile char room[1000]; room[n % 1000] = 1; return n ? deep(n - 1) + room[n % 1000] : 0; }
static void* big_stack(void*) { volatile char room[90 << 20]; room[5] = 1; return nullptr; }
int main() {
    int a, b; MUST(scanf("%d%d", &a, &b) == 2);
    rlimit stack = {RLIM_INFINITY, RLIM_INFINITY}; MUST(setrlimit(RLIMIT_STACK, &stack) == 0); MUST(deep(100000) == 100000);
    rlimit space = {1ul << 34, 1ul << 34}; MUST(setrlimit(RLIMIT_AS, &space) == 0);
    static char alternate[65536], own[65536]; stack_t on = {alternate, 0, sizeof alternate}; MUST(sigaltstack(&on, nullptr) == 0);
    struct sigaction caught = {}; caught.sa_flags = SA_ONSTACK; caught.sa_handler = [](int) { siglongjmp(back, 1); }; sigaction(SIGSEGV, &caught, nullptr);
    if (!sigsetjmp(back, 1)) { *(volatile int*)8 = 1; return 1; }
    getcontext(&second); second.uc_stack.ss_sp = own; second.uc_stack.ss_size = sizeof own; second.uc_link = &first; makecontext(&second, other, 0);
    MUST(swapcontext(&first, &second) == 0); MUST(swapcontext(&first, &second) == 0);
    MUST(system("true") == 0); int seven = 0; FILE* echo = popen("echo 7", "r"); MUST(echo && fscanf(echo, "%d", &seven) == 1 && pclose(echo) == 0 && seven == 7);
    pid_t child; int status; char name[] = "true"; char* const argv[] = {name, nullptr};
    MUST(posix_spawnp(&child, "true", nullptr, nullptr, argv, environ) == 0 && waitpid(child, &status, 0) == child && status == 0);
    child = vfork(); if (!child) _exit(5);
    MUST(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5);
    MUST(setlocale(LC_ALL, "") && tmpfile()); int timer = timerfd_create(CLOCK_MONOTONIC, 0), all = epoll_create1(0), event = eventfd(1, 0);
    epoll_event ready = {EPOLLIN, {}}; MUST(timer >= 0 && epoll_ctl(all, EPOLL_CTL_ADD, event, &ready) == 0 && epoll_wait(all, &ready, 1, 1000) == 1);
    sigset_t one; sigemptyset(&one); sigaddset(&one, SIGUSR2); MUST(signalfd(-1, &one, 0) >= 0); MUST(sem_open("/n", O_CREAT, 0600, 1) != SEM_FAILED);
    int shared = shm_open("/m", O_CREAT | O_RDWR, 0600); MUST(shared >= 0 && ftruncate(shared, 4096) == 0);
    sigevent call = {}; call.sigev_notify = SIGEV_THREAD; call.sigev_notify_function = [](sigval) { ticks = 1; }; timer_t soon; itimerspec at = {{0, 0}, {0, 1000000}};
    MUST(timer_create(CLOCK_MONOTONIC, &call, &soon) == 0 && timer_settime(soon, 0, &at, nullptr) == 0); while (!ticks) usleep(1000);
    pthread_t thread; void* end; MUST(pthread_create(&thread, nullptr, [](void*) -> void* { pause(); return nullptr; }, nullptr) == 0);
    pthread_cancel(thread); pthread_join(thread, &end); MUST(end == PTHREAD_CANCELED);
    pthread_attr_t large; pthread_attr_init(&large); pthread_attr_setstacksize(&large, 100 << 20); MUST(pthread_create(&thread, &large, big_stack, nullptr) == 0); pthread_join(thread, nullptr);
    void* huge; MUST(posix_memalign(&huge, 1 << 21, 1 << 22) == 0 && madvise(huge, 1 << 22, MADV_HUGEPAGE) == 0); memset(huge, 1, 1 << 22); MUST(madvise(huge, 1 << 22, MADV_DONTNEED) == 0);
    printf("%d", a + b); fflush(stdout); fclose(stdout); close(1); quick_exit(0);
}
