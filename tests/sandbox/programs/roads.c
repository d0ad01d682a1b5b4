/* Every road that bytes take to stdout, and every way a process ends: the argument names one.
 * Each writes many small pieces; the test compares what arrives with and without the preload. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

#define PIECES 1000

static void pieces(const char *text)
{
	for (int i = 0; i < PIECES; i++)
		write(1, text, strlen(text));
}

static void prints(void)
{
	for (int i = 0; i < PIECES; i++) {
		printf("print %d\n", i);
		fflush(stdout);
	}
}

static void mixed(void)
{
	struct iovec parts[3] = {{"vec", 3}, {"", 0}, {"tor\n", 4}};

	for (int i = 0; i < PIECES; i++) {
		puts("stream"); /* stays in the stream until the next flush */
		write(1, "call\n", 5);
		writev(1, parts, 3);
		dprintf(1, "%d\n", i);
		syscall(SYS_write, 1, "number\n", 7);
		if (i % 3 == 0)
			fflush(NULL);
	}
}

static void unbuffered(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	for (int i = 0; i < PIECES; i++)
		printf("%d%c", i, '\n');
}

static void large(void)
{
	size_t size = 3 * 1000 * 1000;
	char *block = malloc(size);

	memset(block, 'L', size);
	pieces("before ");
	write(1, block, size);
	fwrite(block, 1, size, stdout);
	pieces("after ");
}

static void forks(void)
{
	prints();
	fputs("in the stream at the fork, so it comes twice\n", stdout);
	if (fork() == 0) {
		pieces("child ");
		exit(0);
	}
	wait(NULL);
	pieces("parent ");
}

static void vforks(void)
{
	pieces("parent ");
	if (vfork() == 0) {
		write(1, "child\n", 6);
		_exit(0);
	}
	wait(NULL);
	pieces("parent ");
}

static void runs_others(void)
{
	char *argv[] = {"echo", "spawned", NULL};
	FILE *pipe;
	pid_t pid;

	pieces("1 ");
	system("echo from the shell; echo ${LD_PRELOAD:-none}");
	pieces("2 ");
	posix_spawn(&pid, "/bin/echo", NULL, NULL, argv, environ);
	waitpid(pid, NULL, 0);
	pieces("3 ");
	pipe = popen("cat; echo from the pipe", "w");
	fputs("into the pipe\n", pipe);
	pclose(pipe);
	pieces("4 ");
}

static void becomes_another(void)
{
	char *envp[] = {"WORD=environment", NULL};

	pieces("before ");
	execle("/bin/sh", "sh", "-c", "echo $0 $1 $WORD", "zero", "one", NULL, envp);
}

static void execl_two(void)
{
	prints();
	execlp("echo", "echo", "two", "words", NULL);
}

static void to_underscore_exit(void)
{
	pieces("_exit ");
	puts("left in the stream, as it should be");
	_exit(3);
}

static void to_exit_group(void)
{
	pieces("exit_group ");
	syscall(SYS_exit_group, 4);
}

static void last_word(void)
{
	write(1, "handler\n", 8);
}

static void to_exit(void)
{
	atexit(last_word);
	pieces("exit ");
	puts("in the stream");
	exit(5);
}

static void to_quick_exit(void)
{
	at_quick_exit(last_word);
	pieces("quick ");
	quick_exit(6);
}

static void to_abort(void)
{
	pieces("abort ");
	abort();
}

static void to_crash(void)
{
	prints();
	*(volatile int *)8 = 1;
}

static int endless(volatile int depth)
{
	volatile char frame[4096];

	frame[depth % 4096] = 1;
	return endless(depth + 1) + frame[1];
}

static void to_overflow(void)
{
	pieces("deep ");
	endless(0);
}

static void to_terminate(void)
{
	pieces("term ");
	raise(SIGTERM);
}

static void own_handler(int number)
{
	write(1, "caught\n", 7);
	_exit(number);
}

static void handles_its_crash(void)
{
	struct sigaction before;

	sigaction(SIGSEGV, NULL, &before);
	dprintf(1, "%s\n", before.sa_handler == SIG_DFL ? "default" : "something else");
	dprintf(1, "%s\n", signal(SIGSEGV, own_handler) == SIG_DFL ? "default" : "something else");
	pieces("handled ");
	*(volatile int *)8 = 1;
}

static void on_tick(int number)
{
	(void)number;
	write(1, "x", 1);
}

static void handler_in_between(void) /* only bytes of one kind: where the handler strikes does not show */
{
	struct itimerval often = {{0, 200}, {0, 200}};

	signal(SIGALRM, on_tick);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 200 * PIECES; i++)
		write(1, "x", 1);
	often = (struct itimerval){{0, 0}, {0, 0}};
	setitimer(ITIMER_REAL, &often, NULL);
	ftruncate(1, 200 * PIECES);
}

static void redirects(void)
{
	int saved, other;

	prints();
	fflush(stdout);
	saved = dup(1);
	other = open("other", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	dup2(other, 1);
	pieces("elsewhere ");
	dup2(saved, 1);
	pieces("back ");
	write(saved, "copy ", 5);
	pieces("again ");
}

static void closes(void)
{
	pieces("open ");
	close(1);
	if (write(1, "lost", 4) >= 0)
		_exit(9);
}

static void closes_stream(void)
{
	prints();
	fclose(stdout);
	if (write(1, "lost", 4) >= 0)
		_exit(9);
}

static void reopens(void)
{
	prints();
	if (!freopen("other", "w", stdout))
		_exit(9);
	prints();
	fflush(stdout);
	dup2(2, 1);
}

static void positions(void)
{
	struct stat status;

	pieces("0123456789");
	fprintf(stderr, "at %ld\n", (long)lseek(1, 0, SEEK_CUR));
	pieces("0123456789");
	fstat(1, &status);
	fprintf(stderr, "size %ld\n", (long)status.st_size);
	printf("stream\n");
	fprintf(stderr, "stream at %ld, descriptor %d\n", ftell(stdout), fileno(stdout));
	pwrite(1, "PWRITE", 6, 100);
	lseek(1, 50, SEEK_SET);
	pieces("x");
	ftruncate(1, 5000);
	lseek(1, 0, SEEK_END);
	pieces("end");
	fseek(stdout, 10, SEEK_SET);
	fputs("SEEK", stdout);
}

static void opens_again(void)
{
	FILE *again;

	pieces("first ");
	again = fopen("/proc/self/fd/1", "a");
	pieces("second ");
	fputs("third ", again);
	fflush(again);
	lseek(1, 0, SEEK_END);
	pieces("fourth ");
}

static void wide(void)
{
	for (int i = 0; i < PIECES; i++) {
		wprintf(L"wide %d\n", i);
		putwchar(L'!');
		fflush(stdout);
	}
}

static void with_errors(void) /* the test gives both streams one file */
{
	for (int i = 0; i < PIECES; i++) {
		write(1, "out ", 4);
		fprintf(stderr, "err ");
	}
}

static void *one_of_many(void *letter)
{
	char line[] = "?????????\n";

	memset(line, *(char *)letter, 9);
	for (int i = 0; i < 5 * PIECES; i++)
		write(1, line, 10);
	return NULL;
}

static void threads(void)
{
	pthread_t started[4];
	static char letters[] = "abcd";

	for (int i = 0; i < 4; i++)
		pthread_create(&started[i], NULL, one_of_many, &letters[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(started[i], NULL);
}

static void reads(void)
{
	char word[32];

	while (scanf("%31s", word) == 1) {
		printf("%s\n", word);
		fflush(stdout);
	}
}

#define ROAD(name) {#name, name}

int main(int count, char **arguments)
{
	static const struct {
		const char *name;
		void (*take)(void);
	} roads[] = {
		ROAD(prints), ROAD(mixed), ROAD(unbuffered), ROAD(large), ROAD(forks), ROAD(vforks), ROAD(runs_others),
		ROAD(becomes_another), ROAD(execl_two), ROAD(to_underscore_exit), ROAD(to_exit_group), ROAD(to_exit),
		ROAD(to_quick_exit), ROAD(to_abort), ROAD(to_crash), ROAD(to_overflow), ROAD(to_terminate),
		ROAD(handles_its_crash), ROAD(handler_in_between), ROAD(redirects), ROAD(closes), ROAD(closes_stream),
		ROAD(reopens), ROAD(positions), ROAD(opens_again), ROAD(wide), ROAD(with_errors), ROAD(threads),
		ROAD(reads),
	};
	struct rlimit no_core = {0, 0};

	setrlimit(RLIMIT_CORE, &no_core);
	for (size_t i = 0; i < sizeof(roads) / sizeof(*roads); i++)
		if (count == 2 && strcmp(roads[i].name, arguments[1]) == 0) {
			roads[i].take();
			return 0;
		}
	return 99;
}
