/* Tells on the host's clock when it ran: nanoseconds at the beginning, sleep (its argument in ms, or 15), nanoseconds
 * at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long now(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

int main(int count, char **arguments) {
    long begin = now();

    usleep((count > 1 ? atoi(arguments[1]) : 15) * 1000);
    printf("%ld %ld\n", begin, now());
    return 0;
}
