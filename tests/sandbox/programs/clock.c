/* Tells on the host's clock when it ran: nanoseconds at the beginning, 15 ms of sleep, nanoseconds at the end. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

int main(void)
{
	long begin = now();

	usleep(15 * 1000);
	printf("%ld %ld\n", begin, now());
	return 0;
}
