/* stdout as a stream of our own (fopencookie): the C library's own stream writes by a road that cannot be stood in for.
 *
 * It has the buffer size and the kind of buffering of the original, so that what is flushed and what is still in the
 * stream at a fork or a crash is the same. Each flush comes to `gather`. Functions that such a stream cannot serve are
 * mended here: it has no descriptor, freopen refuses it, and it has no wide characters (a program that prints wide
 * characters gets the original back, and gathering ends).
 */
#include "coalesce.h"

#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

static FILE *original, *replacement;
static char stream_buffer[BUFSIZ];

static ssize_t write_to_stream(void *cookie, const char *data, size_t size)
{
	size_t done = 0;

	(void)cookie;
	while (done < size) {
		ssize_t written = gather(data + done, size - done);

		if (written <= 0)
			break;
		done += written;
	}
	return done;
}

static int seek_in_stream(void *cookie, off64_t *position, int whence)
{
	off64_t found = lseek64(1, *position, whence);

	(void)cookie;
	if (found < 0)
		return -1;
	*position = found;
	return 0;
}

static int close_stream(void *cookie)
{
	(void)cookie;
	replacement = NULL;
	return close(1);
}

void replace_stdout(void)
{
	const cookie_io_functions_t functions = {
		.write = write_to_stream, .seek = seek_in_stream, .close = close_stream};
	size_t size = BUFSIZ;
	struct stat status;

	original = stdout;
	replacement = fopencookie(NULL, "w", functions);
	if (!replacement)
		return;
	if (!REAL(fstat)(1, &status) && status.st_blksize > 0 && status.st_blksize < BUFSIZ)
		size = status.st_blksize;
	setvbuf(replacement, stream_buffer, isatty(1) ? _IOLBF : _IOFBF, size);
	stdout = replacement;
}

int fileno(FILE *stream)
{
	return replacement && stream == replacement ? 1 : REAL(fileno)(stream);
}

int fileno_unlocked(FILE *stream)
{
	return replacement && stream == replacement ? 1 : REAL(fileno_unlocked)(stream);
}

static FILE *reopen(const char *path, const char *mode)
{
	FILE *opened;

	fflush(replacement);
	stop_gathering();
	if (!path)
		return replacement;
	opened = fopen(path, mode);
	if (!opened)
		return NULL;
	dup2(fileno(opened), 1);
	fclose(opened);
	return replacement;
}

FILE *freopen(const char *path, const char *mode, FILE *stream)
{
	return replacement && stream == replacement ? reopen(path, mode) : REAL(freopen)(path, mode, stream);
}

FILE *freopen64(const char *path, const char *mode, FILE *stream)
{
	return replacement && stream == replacement ? reopen(path, mode) : REAL(freopen64)(path, mode, stream);
}

static FILE *wide(FILE *stream)
{
	if (!stream || stream != replacement)
		return stream;
	stop_gathering();
	stdout = original;
	return original;
}

int fwide(FILE *stream, int mode)
{
	return REAL(fwide)(mode > 0 ? wide(stream) : stream, mode);
}

wint_t fputwc(wchar_t character, FILE *stream)
{
	return REAL(fputwc)(character, wide(stream));
}

wint_t putwc(wchar_t character, FILE *stream)
{
	return REAL(fputwc)(character, wide(stream));
}

wint_t putwchar(wchar_t character)
{
	return REAL(fputwc)(character, wide(stdout));
}

int fputws(const wchar_t *text, FILE *stream)
{
	return REAL(fputws)(text, wide(stream));
}

int vfwprintf(FILE *stream, const wchar_t *format, va_list values)
{
	return REAL(vfwprintf)(wide(stream), format, values);
}

int vwprintf(const wchar_t *format, va_list values)
{
	return REAL(vfwprintf)(wide(stdout), format, values);
}

int fwprintf(FILE *stream, const wchar_t *format, ...)
{
	va_list values;
	int result;

	va_start(values, format);
	result = REAL(vfwprintf)(wide(stream), format, values);
	va_end(values);
	return result;
}

int wprintf(const wchar_t *format, ...)
{
	va_list values;
	int result;

	va_start(values, format);
	result = REAL(vfwprintf)(wide(stdout), format, values);
	va_end(values);
	return result;
}

/* What -D_FORTIFY_SOURCE makes of the two. */
int __fwprintf_chk(FILE *stream, int flag, const wchar_t *format, ...)
{
	va_list values;
	int result;

	(void)flag;
	va_start(values, format);
	result = REAL(vfwprintf)(wide(stream), format, values);
	va_end(values);
	return result;
}

int __wprintf_chk(int flag, const wchar_t *format, ...)
{
	va_list values;
	int result;

	(void)flag;
	va_start(values, format);
	result = REAL(vfwprintf)(wide(stdout), format, values);
	va_end(values);
	return result;
}
