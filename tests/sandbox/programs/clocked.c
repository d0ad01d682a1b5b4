/* Spends CPU time in functions that are known by their names, three parts in one and one part in another. A part is
   CPU time and not steps: beside other programs a step takes now more of it, now less. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long part; /* ns of CPU time */

static volatile unsigned sink;

static inline long used(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

__attribute__((noinline)) static void burn(long ns) {
    unsigned x = sink;
    for (long end = used() + ns; used() < end;)
        for (int i = 0; i < 100000; i++) x = x * 1664525u + 1013904223u;
    sink = x;
}

__attribute__((noinline)) static void three_parts(void) {
    burn(3 * part);
    sink++;
}
__attribute__((noinline)) static void one_part(void) {
    burn(part);
    sink++;
}

__attribute__((noinline)) static void fills(char *room, size_t size) {
    for (long end = used() + 4 * part; used() < end;)
        for (int i = 0; i < 100; i++) {
            memset(room, i, size);
            sink += room[i];
        }
}

__attribute__((noinline)) static int deep(int levels) {
    char room[64];
    memset(room, levels, sizeof room);
    if (levels == 0) {
        burn(2 * part);
        return room[1];
    }
    return deep(levels - 1) + room[2];
}

__attribute__((noinline)) static void asks_the_kernel(void) {
    static char room[1 << 20];
    for (int i = 0; i < 3000; i++) sink += read(0, room, sizeof room);
}

__attribute__((noinline)) static void maps(void) {
    for (int i = 0; i < 200000; i++)
        munmap(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
}

static void *in_thread(void *unused) {
    three_parts();
    return unused;
}

int main(int count, char **words) {
    const char *road = count > 1 ? words[1] : "";
    part = 50000000L * atoi(getenv("LONGER"));
    if (strcmp(road, "parts") == 0) {
        three_parts();
        one_part();
    }
    if (strcmp(road, "library") == 0) {
        size_t size = 200000;
        fills(malloc(size), size);
    }
    if (strcmp(road, "deep") == 0) sink += deep(atoi(words[2]));
    if (strcmp(road, "kernel") == 0) asks_the_kernel();
    if (strcmp(road, "thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, in_thread, NULL);
        one_part();
        pthread_join(thread, NULL);
    }
    if (strcmp(road, "child") == 0) {
        if (fork() == 0) {
            three_parts();
            _exit(0);
        }
        one_part();
        wait(NULL);
    }
    if (strcmp(road, "executes") == 0) {
        if (fork() == 0) execl(words[0], words[0], "parts", NULL);
        wait(NULL);
    }
    if (strcmp(road, "maps") == 0) maps();
    if (strcmp(road, "sleeps") == 0) usleep(300000);
    return 0;
}
