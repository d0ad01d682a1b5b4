/* stdout and stderr as streams of our own (fopencookie): the C library's own write by a road that cannot be stood in
 * for.
 *
 * Each has the buffer size and the kind of buffering of the original, so that what is flushed and what is still in the
 * stream at a fork or a crash is the same. Each flush comes to `gather`. Functions that such a stream cannot serve are
 * mended here: it has no descriptor, freopen refuses it, and it has no wide characters (a program that prints wide
 * characters gets the original back, and gathering ends).
 */
#include "coalesce.h"

#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

static struct stream {
    int fd;
    FILE *original, *replacement;
    char buffer[BUFSIZ];
} streams[] = {{.fd = 1}, {.fd = 2}};

static struct stream *find(FILE *stream) {
    for (size_t i = 0; stream && i < sizeof(streams) / sizeof(*streams); i++)
        if (streams[i].replacement == stream) return &streams[i];
    return NULL;
}

static ssize_t write_to_stream(void *cookie, const char *data, size_t size) {
    struct stream *ours = cookie;
    size_t done = 0;

    while (done < size) {
        ssize_t written = gather(ours->fd, data + done, size - done);

        if (written <= 0) break;
        done += written;
    }
    return done;
}

static int seek_in_stream(void *cookie, off64_t *position, int whence) {
    struct stream *ours = cookie;
    off64_t found = lseek64(ours->fd, *position, whence);

    if (found < 0) return -1;
    *position = found;
    return 0;
}

static int close_stream(void *cookie) {
    struct stream *ours = cookie;

    ours->replacement = NULL;
    return close(ours->fd);
}

static int way_of_buffering(int fd) {
    if (fd == 2) return _IONBF;
    return isatty(fd) ? _IOLBF : _IOFBF;
}

void replace_stream(int fd) {
    const cookie_io_functions_t functions = {.write = write_to_stream, .seek = seek_in_stream, .close = close_stream};
    struct stream *ours = &streams[fd - 1];
    size_t size = sizeof(ours->buffer);
    struct stat status;

    ours->replacement = fopencookie(ours, "w", functions);
    if (!ours->replacement) return;
    if (!REAL(fstat)(fd, &status) && status.st_blksize > 0 && (size_t)status.st_blksize < size)
        size = status.st_blksize;
    setvbuf(ours->replacement, ours->buffer, way_of_buffering(fd), size);
    if (fd == 1) {
        ours->original = stdout;
        stdout = ours->replacement;
    } else {
        ours->original = stderr;
        stderr = ours->replacement;
    }
}

int fileno(FILE *stream) {
    struct stream *ours = find(stream);

    return ours ? ours->fd : REAL(fileno)(stream);
}

int fileno_unlocked(FILE *stream) {
    struct stream *ours = find(stream);

    return ours ? ours->fd : REAL(fileno_unlocked)(stream);
}

static FILE *reopen(const char *path, const char *mode, struct stream *ours) {
    FILE *opened;

    fflush(ours->replacement);
    stop_gathering(ours->fd);
    if (!path) return ours->replacement;
    opened = fopen(path, mode);
    if (!opened) return NULL;
    dup2(fileno(opened), ours->fd);
    fclose(opened);
    return ours->replacement;
}

FILE *freopen(const char *path, const char *mode, FILE *stream) {
    struct stream *ours = find(stream);

    return ours ? reopen(path, mode, ours) : REAL(freopen)(path, mode, stream);
}

FILE *freopen64(const char *path, const char *mode, FILE *stream) {
    struct stream *ours = find(stream);

    return ours ? reopen(path, mode, ours) : REAL(freopen64)(path, mode, stream);
}

static FILE *wide(FILE *stream) {
    struct stream *ours = find(stream);

    if (!ours) return stream;
    stop_gathering(ours->fd);
    if (stream == stdout) stdout = ours->original;
    if (stream == stderr) stderr = ours->original;
    return ours->original;
}

int fwide(FILE *stream, int mode) { return REAL(fwide)(mode > 0 ? wide(stream) : stream, mode); }

wint_t fputwc(wchar_t character, FILE *stream) { return REAL(fputwc)(character, wide(stream)); }

wint_t putwc(wchar_t character, FILE *stream) { return REAL(fputwc)(character, wide(stream)); }

wint_t putwchar(wchar_t character) { return REAL(fputwc)(character, wide(stdout)); }

int fputws(const wchar_t *text, FILE *stream) { return REAL(fputws)(text, wide(stream)); }

int vfwprintf(FILE *stream, const wchar_t *format, va_list values) {
    return REAL(vfwprintf)(wide(stream), format, values);
}

int vwprintf(const wchar_t *format, va_list values) { return REAL(vfwprintf)(wide(stdout), format, values); }

int fwprintf(FILE *stream, const wchar_t *format, ...) {
    va_list values;
    int result;

    va_start(values, format);
    result = REAL(vfwprintf)(wide(stream), format, values);
    va_end(values);
    return result;
}

int wprintf(const wchar_t *format, ...) {
    va_list values;
    int result;

    va_start(values, format);
    result = REAL(vfwprintf)(wide(stdout), format, values);
    va_end(values);
    return result;
}

/* What -D_FORTIFY_SOURCE makes of the two. */
int __fwprintf_chk(FILE *stream, int flag, const wchar_t *format, ...) {
    va_list values;
    int result;

    (void)flag;
    va_start(values, format);
    result = REAL(vfwprintf)(wide(stream), format, values);
    va_end(values);
    return result;
}

int __wprintf_chk(int flag, const wchar_t *format, ...) {
    va_list values;
    int result;

    (void)flag;
    va_start(values, format);
    result = REAL(vfwprintf)(wide(stdout), format, values);
    va_end(values);
    return result;
}
