// The program's scratch folders: a fresh tmpfs for each run.
//
// How it works: the next run's is mounted as soon as the last one's is thrown away, while the host has other things to
// do; it will do if it is asked for with the same limits. Only a run that the host asks to keep it leaves it to the
// next one: a validator's passes over the same test case. The main thread mounts (runner.c); all else is done by the
// runner.
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "init.h"

#ifndef MS_NOSYMFOLLOW
#define MS_NOSYMFOLLOW 256
#endif

// What is mounted now.
static struct {
    int is_mounted;
    int box;      // a descriptor of the working directory; -1: no run has begun in it
    int is_kept;  // by the run before: the next one may go on
    uint64_t bytes, inodes;
    int error;  // of the main thread
} scratch = {.box = -1};

// On the main thread. Never a second case in the same folders: where they cannot be thrown away, the jail ends.
static void throw_away(void *unused) {
    (void)unused;
    if (scratch.box >= 0) close(scratch.box);
    if (umount2(SCRATCH, MNT_DETACH) < 0) _exit(1);
    scratch.box = -1, scratch.is_mounted = 0;
}

// On the main thread: throws away what is mounted and mounts anew.
static void renew(void *request) {
    char options[160];
    const struct request *wanted = request;
    if (scratch.is_mounted) throw_away(NULL);
    scratch.is_kept = 0, scratch.bytes = wanted->scratch_bytes, scratch.inodes = wanted->scratch_inodes;
    snprintf(options, sizeof options, "size=%llu,nr_inodes=%llu,mode=0755", (unsigned long long)scratch.bytes,
             (unsigned long long)scratch.inodes);
    scratch.is_mounted = mount("scratch", SCRATCH, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOSYMFOLLOW, options) == 0;
    scratch.error = errno;
}

// On the main thread: puts the files of the host's choice into the working directory. Nothing is copied, and nothing
// counted.
static void bind_files(void *names) {
    char *const *placed = names;
    char target[sizeof BOX + 256];
    for (scratch.error = 0; *placed && !scratch.error; placed += 2) {
        int length = snprintf(target, sizeof target, BOX "/%s", placed[0]);
        if (length >= (int)sizeof target) scratch.error = ENAMETOOLONG;
        else if (mount(placed[1], target, NULL, MS_BIND, NULL) < 0) scratch.error = errno;
    }
}

static int place_files(char *const *placed) {
    for (char *const *name = placed; *name; name += 2) {
        int file = openat(scratch.box, *name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
        if (file < 0) return -1;
        close(file);
    }
    if (*placed) on_main(bind_files, (void *)placed);
    errno = scratch.error;
    return *placed && scratch.error ? -1 : 0;
}

static int give_folder(int parent, const char *name) {
    if (mkdirat(parent, name, 0700) < 0) return -1;
    return fchownat(parent, name, PROGRAM_ID, PROGRAM_ID, AT_SYMLINK_NOFOLLOW);
}

// Makes the program's folders, where /box, /tmp and /dev/shm lead: only now, for what was there before the run has its
// times.
static int fill(const struct run *run) {
    if (give_folder(AT_FDCWD, BOX) < 0 || give_folder(AT_FDCWD, SCRATCH "/tmp") < 0 ||
        give_folder(AT_FDCWD, SCRATCH "/shm") < 0)
        return -1;
    scratch.box = open(BOX, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (scratch.box < 0 || utimensat(AT_FDCWD, SCRATCH, NULL, 0) < 0) return -1;
    for (char **name = run->directories; *name; name++)
        if (give_folder(scratch.box, *name) < 0) return -1;
    return place_files(run->placed);
}

static int fits(const struct request *request) {
    if (!scratch.is_mounted || scratch.box >= 0) return 0;
    return scratch.bytes == request->scratch_bytes && scratch.inodes == request->scratch_inodes;
}

int open_scratch(struct run *run) {
    if (run->request.flags & FLAG_GO_ON) {
        if (scratch.box >= 0 && scratch.is_kept) return scratch.box;
        errno = ENOENT;
        return -1;
    }
    if (!fits(&run->request)) on_main(renew, &run->request);
    errno = scratch.error;
    if (!scratch.is_mounted) return -1;
    if (fill(run) == 0) return scratch.box;
    int error = errno;
    on_main(throw_away, NULL);
    errno = error;
    return -1;
}

void close_scratch(struct run *run, int is_kept) {
    scratch.is_kept = is_kept;
    if (!is_kept) on_main(renew, &run->request);
}

static uint64_t used_bytes(int folder) {
    struct statfs room;
    return fstatfs(folder, &room) < 0 ? 0 : (uint64_t)(room.f_blocks - room.f_bfree) * room.f_bsize;
}

size_t collect(const struct run *run, int box, struct reply *reply, int *fds) {
    size_t count = 0;
    reply->scratch_used_bytes = used_bytes(box);
    for (uint32_t i = 0; i < run->request.collects; i++) {
        struct open_how how = {
            .flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC,
            .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV};
        struct stat file;
        int fd = syscall(SYS_openat2, box, run->collects[i], &how, sizeof how);
        if (fd < 0) continue;
        if (fstat(fd, &file) < 0 || !S_ISREG(file.st_mode)) {
            close(fd);
            continue;
        }
        reply->collected |= 1U << i;
        fds[count++] = fd;
    }
    return count;
}
