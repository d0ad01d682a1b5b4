/* Does what its arguments say, one word each: a system call by its number with arguments, or a block "kind{" ... "}"
 * done in a thread or a child. The first argument is what those do that nobody waits for: "lingers", or "leaves".
 * An argument of a call is a whole number, or a letter with one: what it points to is made as the word is read. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    STACK = 1 << 16,
    MOST_WORDS = 500,
    THREAD = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM
};

static char buffer[1 << 20];
static int lingers;
static char *self;
static volatile int *ends;
static int *next_end;

/* What one word's arguments point to; at most one of a kind. */
static struct {
    struct iovec parts[2];
    struct msghdr message;
    struct mmsghdr messages[2];
    char control[CMSG_SPACE(sizeof(int))];
    off_t offsets[2];
    struct rlimit limit;
    int ends[2];
    char path[64];
} made;

static void do_words(char **word);

static struct msghdr *message(size_t bytes, int control) {
    made.parts[0] = (struct iovec){buffer, bytes};
    made.message = (struct msghdr){.msg_iov = made.parts, .msg_iovlen = 1};
    if (control) made.message.msg_control = made.control, made.message.msg_controllen = sizeof(made.control);
    return &made.message;
}

static struct msghdr *passing(int descriptor) {
    struct cmsghdr *part = CMSG_FIRSTHDR(message(1, 1));

    *part = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(part), &descriptor, sizeof(int));
    return &made.message;
}

static long value(const char *text, int place) {
    long number = atol(text + 1);

    switch (*text) {
    case 'B': /* a buffer */
        return (long)buffer;
    case 'V': /* two parts of so many bytes and twice as many */
        made.parts[0] = (struct iovec){buffer, number}, made.parts[1] = (struct iovec){buffer + 9, 2 * number};
        return (long)made.parts;
    case 'O': /* an offset, which the kernel may move */
        made.offsets[place >> 1 & 1] = number;
        return (long)&made.offsets[place >> 1 & 1];
    case 'M': /* a message of so many bytes; C: with room for a descriptor; F: with that descriptor */
        return (long)message(number, 0);
    case 'C':
        return (long)message(number, 1);
    case 'F':
        return (long)passing(number);
    case 'H': /* two messages */
        made.messages[0].msg_hdr = made.messages[1].msg_hdr = *message(number, 0);
        return (long)made.messages;
    case 'L': /* a limit */
        made.limit = (struct rlimit){number, number};
        return (long)&made.limit;
    case 'E': /* room for two descriptors */
        return (long)made.ends;
    case 'I': /* our own number */
        return getpid();
    case 'P': /* a path */
        return (long)strcpy(made.path, text + 1);
    }
    return atol(text);
}

static void call(const char *word) {
    long number, given[6] = {0};
    char text[128], *rest = text, *part;

    strncpy(text, word, sizeof(text) - 1);
    text[sizeof(text) - 1] = 0;
    number = atol(strsep(&rest, ":"));
    for (int i = 0; i < 6 && (part = strsep(&rest, ":")); i++) given[i] = value(part, i);
    syscall(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}

/* A part of the script, and where it says that it came to its end: in memory shared with children. */
struct block {
    char **words;
    volatile int *end;
    volatile int may_begin; /* not before its maker's clone came back: a thread may end the process */
};

static int start(int flags, int (*what)(void *), void *block) {
    char *stack = mmap(0, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return clone(what, stack + STACK, flags, block);
}

static int plain(void *given) {
    struct block *block = given;

    while (!block->may_begin);
    do_words(block->words);
    *block->end = 1;
    return 0;
}

static int lingering(void *block) {
    plain(block);
    if (lingers) pause();
    return 0;
}

static int parent_of_plain(void *block) { return start(SIGCHLD, plain, block) < 0; }

static int parent_of_lingering(void *block) { return start(SIGCHLD, lingering, block) < 0; }

static int executed(void *given) {
    char *argument[MOST_WORDS + 3] = {self, lingers ? "lingers" : "leaves"};
    struct block *block = given;
    char **words = block->words;

    while (!block->may_begin);
    for (int i = 0, depth = 1; i < MOST_WORDS && depth; i++) {
        depth += strchr(words[i], '{') ? 1 : *words[i] == '}' ? -1 : 0;
        argument[i + 2] = depth ? words[i] : 0;
    }
    execv(self, argument);
    _exit(9);
}

enum waiting { FOR_CHILD, FOR_END, NOT_AT_ALL }; /* the second asks the kernel for nothing */

static const struct kind {
    const char *name;
    int flags;
    int (*what)(void *);
    enum waiting waiting;
} kinds[] = {
    {"fork{", SIGCHLD, plain, FOR_CHILD},
    {"shares{", CLONE_FILES | SIGCHLD, plain, FOR_CHILD}, /* the table of descriptors */
    {"vfork{", CLONE_VM | CLONE_VFORK | SIGCHLD, plain, FOR_CHILD},
    {"silent{", 0, plain, FOR_CHILD}, /* sends no signal at its end */
    {"execs{", CLONE_VM | CLONE_VFORK | SIGCHLD, executed, FOR_CHILD},
    {"thread{", THREAD, plain, FOR_END},
    {"forgotten{", SIGCHLD, plain, FOR_END}, /* nobody waits for it */
    {"mute{", 0, plain, FOR_END},
    {"orphan{", SIGCHLD, parent_of_plain, FOR_END},
    {"lingers{", SIGCHLD, parent_of_lingering, FOR_END}, /* and is killed in the jail */
    {"executes{", THREAD, executed, NOT_AT_ALL},         /* a thread: so all of the process becomes the other program */
};

static void do_block(const char *name, char **words) {
    struct block block = {words, &ends[__sync_fetch_and_add(next_end, 1)]};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        const struct kind *kind = &kinds[i];

        if (strcmp(kind->name, name) != 0) continue;
        block.may_begin = kind->flags != THREAD;
        int child = start(kind->flags, kind->what, &block);

        block.may_begin = 1;
        if (kind->what == parent_of_plain || kind->what == parent_of_lingering || kind->waiting == FOR_CHILD)
            waitpid(child, 0, __WALL);
        while (kind->waiting == NOT_AT_ALL || (kind->waiting == FOR_END && !*block.end));
    }
}

static void do_words(char **word) {
    for (; *word && **word != '}'; word++) {
        if (!strchr(*word, '{')) {
            call(*word);
            continue;
        }
        do_block(*word, word + 1);
        for (int depth = 1; depth;) {
            word++;
            depth += strchr(*word, '{') ? 1 : **word == '}' ? -1 : 0;
        }
    }
}

int main(int count, char **argument) {
    sigset_t quiet;

    self = argument[0];
    lingers = strcmp(argument[1], "lingers") == 0;
    sigemptyset(&quiet);
    sigaddset(&quiet, SIGCHLD); /* under strace it interrupts calls even when nobody handles it */
    sigprocmask(SIG_BLOCK, &quiet, 0);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    next_end = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ends = next_end + 1;
    do_words(argument + 2);
    _exit(0);
}
