/* Ten handled signals, a sleep that a signal cuts short, and two numbers that no call has. */
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void ignore(int signal) { (void)signal; }

int main(void) {
    struct timespec pause = {10, 0};
    struct itimerval soon = {{0, 0}, {0, 1000}};

    signal(SIGUSR1, ignore);
    signal(SIGALRM, ignore);
    for (int i = 0; i < 10; i++) kill(getpid(), SIGUSR1);
    setitimer(ITIMER_REAL, &soon, 0);
    nanosleep(&pause, 0); /* -EINTR, and the program sees it */
    syscall(400000);
    syscall(511);
    return 0;
}
