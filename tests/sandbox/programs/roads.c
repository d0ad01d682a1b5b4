/* Every road that bytes take to an output, and every way a process ends: the arguments name a road and perhaps
 * descriptor 2 in the place of 1. Each writes many small pieces; the test compares what arrives with and without the
 * preload. */
#define _GNU_SOURCE
#include <assert.h>
#include <err.h>
#include <errno.h>
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

static int fd, other_fd;
static FILE **stream, **other_stream;

static void through_a_shell(char *line, const char *words) { sprintf(line, "echo %s >&%d", words, fd); }

static void pieces(const char *text) {
    for (int i = 0; i < PIECES; i++) write(fd, text, strlen(text));
}

static void prints(void) {
    for (int i = 0; i < PIECES; i++) {
        fprintf(*stream, "print %d\n", i);
        fflush(*stream);
    }
}

static void mixed(void) {
    struct iovec parts[3] = {{"vec", 3}, {"", 0}, {"tor\n", 4}};

    for (int i = 0; i < PIECES; i++) {
        fputs("stream\n", *stream); /* stays in the stream until the next flush */
        write(fd, "call\n", 5);
        writev(fd, parts, 3);
        dprintf(fd, "%d\n", i);
        syscall(SYS_write, fd, "number\n", 7);
        if (i % 3 == 0) fflush(NULL);
    }
}

static void unbuffered(void) {
    setvbuf(*stream, NULL, _IONBF, 0);
    for (int i = 0; i < PIECES; i++) fprintf(*stream, "%d%c", i, '\n');
}

static void large(void) {
    size_t size = 3 * 1000 * 1000;
    char *block = malloc(size);

    memset(block, 'L', size);
    pieces("before ");
    write(fd, block, size);
    fwrite(block, 1, size, *stream);
    pieces("after ");
}

static void forks(void) {
    prints();
    fputs("in the stream at the fork, so it comes twice\n", *stream);
    if (fork() == 0) {
        pieces("child ");
        exit(0);
    }
    wait(NULL);
    pieces("parent ");
}

static void vforks(void) {
    pieces("parent ");
    if (vfork() == 0) {
        write(fd, "child\n", 6);
        _exit(0);
    }
    wait(NULL);
    pieces("parent ");
}

static void runs_others(void) {
    char *argv[] = {"echo", "spawned", NULL}, line[64];
    FILE *pipe;
    pid_t pid;

    pieces("1 ");
    through_a_shell(line, "from the shell, ${LD_PRELOAD:-none}");
    system(line);
    pieces("2 ");
    posix_spawn(&pid, "/bin/echo", NULL, NULL, argv, environ);
    waitpid(pid, NULL, 0);
    pieces("3 ");
    through_a_shell(line, "$(cat) and from the pipe");
    pipe = popen(line, "w");
    fputs("into the pipe\n", pipe);
    pclose(pipe);
    pieces("4 ");
}

static void becomes_another(void) {
    char *envp[] = {"WORD=environment", NULL}, line[64];

    pieces("before ");
    through_a_shell(line, "$0 $1 $WORD");
    execle("/bin/sh", "sh", "-c", line, "zero", "one", NULL, envp);
}

static void execl_two(void) {
    prints();
    execlp("echo", "echo", "two", "words", NULL);
}

static void to_underscore_exit(void) {
    pieces("_exit ");
    fputs("left in the stream, as it should be\n", *stream);
    _exit(3);
}

static void to_exit_group(void) {
    pieces("exit_group ");
    syscall(SYS_exit_group, 4);
}

static void to_exit_of_the_thread(void) {
    pieces("exit of the only thread ");
    syscall(SYS_exit, 4);
}

static void *write_on(void *unused) {
    pieces("the other ");
    return unused;
}

/* The first thread is gone without a word to the C library, which takes the other one's end for no end of the process.
 */
static void to_exit_of_both_threads(void) {
    pthread_t other;

    pieces("the first ");
    pthread_create(&other, NULL, write_on, NULL);
    syscall(SYS_exit, 0);
}

static void last_word(void) { write(fd, "handler\n", 8); }

static void to_exit(void) {
    atexit(last_word);
    pieces("exit ");
    fputs("in the stream\n", *stream);
    exit(5);
}

static void to_quick_exit(void) {
    at_quick_exit(last_word);
    pieces("quick ");
    quick_exit(6);
}

static void to_abort(void) {
    pieces("abort ");
    abort();
}

static void to_crash(void) {
    prints();
    *(volatile int *)8 = 1;
}

static int endless(volatile int depth) {
    volatile char frame[4096];

    frame[depth % 4096] = 1;
    return endless(depth + 1) + frame[1];
}

static void to_overflow(void) {
    pieces("deep ");
    endless(0);
}

static void to_terminate(void) {
    pieces("term ");
    raise(SIGTERM);
}

static void own_handler(int number) {
    write(fd, "caught\n", 7);
    _exit(number);
}

static void handles_its_crash(void) {
    struct sigaction before;

    sigaction(SIGSEGV, NULL, &before);
    dprintf(fd, "%s\n", before.sa_handler == SIG_DFL ? "default" : "something else");
    dprintf(fd, "%s\n", signal(SIGSEGV, own_handler) == SIG_DFL ? "default" : "something else");
    pieces("handled ");
    *(volatile int *)8 = 1;
}

static void on_tick(int number) {
    (void)number;
    write(fd, "x", 1);
}

static void handler_in_between(void) /* only bytes of one kind: where the handler strikes does not show */
{
    struct itimerval often = {{0, 200}, {0, 200}};

    signal(SIGALRM, on_tick);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 200 * PIECES; i++) write(fd, "x", 1);
    often = (struct itimerval){{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    ftruncate(fd, 200 * PIECES);
}

static void redirects(void) {
    int saved, other;

    prints();
    fflush(*stream);
    saved = dup(fd);
    other = open("other", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(other, fd);
    pieces("elsewhere ");
    dup2(saved, fd);
    pieces("back ");
    write(saved, "copy ", 5);
    pieces("again ");
}

static void closes(void) {
    pieces("open ");
    close(fd);
    if (write(fd, "lost", 4) >= 0) _exit(9);
}

static void closes_stream(void) {
    prints();
    fclose(*stream);
    if (write(fd, "lost", 4) >= 0) _exit(9);
}

static void reopens(void) {
    prints();
    if (!freopen("other", "w", *stream)) _exit(9);
    prints();
    fflush(*stream);
    dup2(other_fd, fd);
}

static void positions(void) {
    struct stat status;

    pieces("0123456789");
    fprintf(*other_stream, "at %ld\n", (long)lseek(fd, 0, SEEK_CUR));
    pieces("0123456789");
    fstat(fd, &status);
    fprintf(*other_stream, "size %ld\n", (long)status.st_size);
    fprintf(*stream, "stream\n");
    fprintf(*other_stream, "stream at %ld, descriptor %d\n", ftell(*stream), fileno(*stream));
    pwrite(fd, "PWRITE", 6, 100);
    lseek(fd, 50, SEEK_SET);
    pieces("x");
    ftruncate(fd, 5000);
    lseek(fd, 0, SEEK_END);
    pieces("end");
    fseek(*stream, 10, SEEK_SET);
    fputs("SEEK", *stream);
}

static void opens_again(void) {
    FILE *again;

    pieces("first ");
    again = fopen(fd == 1 ? "/proc/self/fd/1" : "/proc/self/fd/2", "a");
    pieces("second ");
    fputs("third ", again);
    fflush(again);
    lseek(fd, 0, SEEK_END);
    pieces("fourth ");
}

static void wide(void) {
    for (int i = 0; i < PIECES; i++) {
        fwprintf(*stream, L"wide %d\n", i);
        putwc(L'!', *stream);
        fflush(*stream);
    }
}

static void explains(void) /* the C library's own words on stderr, some by roads of their own */
{
    for (int i = 0; i < PIECES; i++) {
        fprintf(*stream, "piece ");
        errno = i % 100;
        perror("perror");
        errno = i % 100;
        warn("warn %d", i);
        psignal(SIGTERM, "psignal");
        fflush(*stream);
    }
}

static void sets_buffer(void) {
    static char buffer[300];

    setvbuf(*stream, buffer, _IOFBF, sizeof(buffer));
    for (int i = 0; i < PIECES; i++) fprintf(*stream, "%d\n", i);
    write(fd, "before the rest of the stream\n", 30);
}

static void to_assertion(void) {
    pieces("assert ");
    assert(fd > 2);
}

static void to_double_free(void) /* glibc writes its last words past every function */
{
    void *volatile block = malloc(64);

    pieces("free ");
    free(block);
    free(block);
}

static void with_errors(void) /* the test gives both streams one file */
{
    for (int i = 0; i < PIECES; i++) {
        write(fd, "out ", 4);
        fprintf(*other_stream, "err ");
    }
}

static void *one_of_many(void *letter) {
    char line[] = "?????????\n";

    memset(line, *(char *)letter, 9);
    for (int i = 0; i < 5 * PIECES; i++) write(fd, line, 10);
    return NULL;
}

static void threads(void) {
    pthread_t started[4];
    static char letters[] = "abcd";

    for (int i = 0; i < 4; i++) pthread_create(&started[i], NULL, one_of_many, &letters[i]);
    for (int i = 0; i < 4; i++) pthread_join(started[i], NULL);
}

static void reads(void) {
    char word[32];

    while (scanf("%31s", word) == 1) {
        fprintf(*stream, "%s\n", word);
        fflush(*stream);
    }
}

#define ROAD(name) {#name, name}

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        void (*take)(void);
    } roads[] = {
        ROAD(prints),
        ROAD(mixed),
        ROAD(unbuffered),
        ROAD(large),
        ROAD(forks),
        ROAD(vforks),
        ROAD(runs_others),
        ROAD(becomes_another),
        ROAD(execl_two),
        ROAD(to_underscore_exit),
        ROAD(to_exit_group),
        ROAD(to_exit),
        ROAD(to_exit_of_the_thread),
        ROAD(to_exit_of_both_threads),
        ROAD(to_quick_exit),
        ROAD(to_abort),
        ROAD(to_crash),
        ROAD(to_overflow),
        ROAD(to_terminate),
        ROAD(handles_its_crash),
        ROAD(handler_in_between),
        ROAD(redirects),
        ROAD(closes),
        ROAD(closes_stream),
        ROAD(reopens),
        ROAD(positions),
        ROAD(opens_again),
        ROAD(wide),
        ROAD(with_errors),
        ROAD(threads),
        ROAD(reads),
        ROAD(explains),
        ROAD(sets_buffer),
        ROAD(to_assertion),
        ROAD(to_double_free),
    };
    struct rlimit no_core = {0, 0};

    setrlimit(RLIMIT_CORE, &no_core);
    fd = count == 3 && *arguments[2] == '2' ? 2 : 1;
    other_fd = 3 - fd;
    stream = fd == 1 ? &stdout : &stderr;
    other_stream = fd == 1 ? &stderr : &stdout;
    for (size_t i = 0; i < sizeof(roads) / sizeof(*roads); i++)
        if (count > 1 && strcmp(roads[i].name, arguments[1]) == 0) {
            roads[i].take();
            return 0;
        }
    return 99;
}
