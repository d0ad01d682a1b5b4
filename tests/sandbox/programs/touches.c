/* Touches so many MiB (second argument) of memory of the kind that the first argument names. */
#define _GNU_SOURCE
#include <alloca.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t size;

static char *mapped(int flags, int file, size_t bytes) {
    return mmap(0, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
}

static char *touched(char *place, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 4096) ((volatile char *)place)[i] = 1;
    return place;
}

static void written(int file, size_t bytes) {
    static char block[1 << 16];

    for (size_t done = 0; done < bytes; done += sizeof(block)) write(file, block, sizeof(block));
}

static void on_stack(size_t bytes) { touched(alloca(bytes), bytes); }

static void *in_thread(void *barrier) {
    touched(malloc(size / 4), size / 4);
    pthread_barrier_wait(barrier); /* all four at once */
    return 0;
}

static void in_threads(void) {
    pthread_barrier_t barrier;
    pthread_t threads[4];

    pthread_barrier_init(&barrier, 0, 4);
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, in_thread, &barrier);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
}

/* Both hold `ours` when the child has touched its own copy of the first `theirs` bytes. */
static void in_child(size_t ours, size_t theirs) {
    char *place = touched(mapped(MAP_PRIVATE | MAP_ANONYMOUS, -1, size), ours);

    if (fork() == 0) {
        touched(place, theirs);
        _exit(0);
    }
    wait(0);
}

/* Four hold a quarter each at the same time; they are killed. */
static void in_children(void) {
    int done[2];
    char byte;

    pipe(done);
    for (int i = 0; i < 4; i++)
        if (fork() == 0) {
            touched(mapped(MAP_PRIVATE | MAP_ANONYMOUS, -1, size / 4), size / 4);
            write(done[1], "x", 1);
            pause();
        }
    for (int i = 0; i < 4; i++) read(done[0], &byte, 1);
}

/* Of a parent that is dead. */
static void in_orphan(void) {
    int done[2];
    char byte;

    pipe(done);
    if (fork() == 0) {
        if (fork() == 0) {
            touched(malloc(size), size);
            write(done[1], "x", 1);
            pause();
        }
        _exit(0);
    }
    wait(0);
    read(done[0], &byte, 1);
}

int main(int count, char **argument) {
    const char *kind = argument[1];
    int anonymous = MAP_PRIVATE | MAP_ANONYMOUS;

    size = (size_t)atoi(argument[2]) << 20;
    if (strcmp(kind, "heap") == 0) touched(malloc(size), size);
    if (strcmp(kind, "stack") == 0) on_stack(size);
    if (strcmp(kind, "anonymous") == 0) touched(mapped(anonymous, -1, size), size);
    if (strcmp(kind, "shared") == 0) touched(mapped(MAP_SHARED | MAP_ANONYMOUS, -1, size), size);
    if (strcmp(kind, "threads") == 0) in_threads();
    if (strcmp(kind, "child") == 0) in_child(0, size);
    if (strcmp(kind, "copied") == 0) in_child(size / 2, size / 2);
    if (strcmp(kind, "children") == 0) in_children();
    if (strcmp(kind, "orphan") == 0) in_orphan();
    if (strcmp(kind, "discarded") == 0) madvise(touched(mapped(anonymous, -1, size), size), size, MADV_DONTNEED);
    if (strcmp(kind, "executes") == 0) {
        touched(mapped(anonymous, -1, size), size);
        execl(argument[0], argument[0], "nothing", "0", (char *)0);
    }
    if (strcmp(kind, "shm_mapped") == 0) {
        int file = open("/dev/shm/file", O_RDWR | O_CREAT | O_TRUNC, 0600);

        ftruncate(file, size);
        touched(mapped(MAP_SHARED, file, size), size);
    }
    if (strcmp(kind, "unmapped") == 0) munmap(touched(mapped(anonymous, -1, size), size), size);
    if (strcmp(kind, "again") == 0) {
        munmap(touched(mapped(anonymous, -1, size), size), size);
        touched(mapped(anonymous, -1, size), size);
    }
    if (strcmp(kind, "reserved") == 0) mapped(anonymous, -1, size);
    if (strcmp(kind, "memfd") == 0 || strcmp(kind, "memfd_mapped") == 0) {
        int file = memfd_create("touched", 0);

        written(file, size);
        if (strcmp(kind, "memfd_mapped") == 0) touched(mapped(MAP_SHARED, file, size), size);
    }
    if (strncmp(kind, "scratch", 7) == 0) {
        int file = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);

        written(file, size);
        if (strcmp(kind, "scratch_mapped") == 0) touched(mapped(MAP_SHARED, file, size), size);
        if (strcmp(kind, "scratch_removed") == 0) unlink("file");
    }
    if (strcmp(kind, "output") == 0) {
        touched(mapped(anonymous, -1, size), size);
        written(1, 64 << 20);
    }
    if (strcmp(kind, "child_output") == 0) {
        in_child(0, size);
        written(1, 64 << 20);
    }
    return 0;
}
