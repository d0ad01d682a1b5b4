// The tracing preload: which places of a program its writes come from.
//
// How it works
//   Loaded by LD_PRELOAD, its constructor lays a jump over the first bytes of the C library's write, writev, pwrite64,
//   pwritev and pwritev2. So every call of them comes here, those of the C library itself too, which no symbol of a
//   preload can stand in for: stdio's, and so C++'s. The replacement makes the same system call, then walks up the
//   stack and counts the call and its bytes for the addresses of the program's own file that it finds there. Which of
//   them is the student's line is for the host to say, who has the debug information.
//
//   Children that are forked count in the same table. Nothing is locked: entries are taken and added to with atomic
//   operations.
//
//   Walking up takes microseconds. The same call from the same place finds the same return addresses in the same places
//   of the stack, so a few stacks per thread are kept with these, and comparing them is enough. From MANY walks on only
//   one call in EVERY, by chance, is walked for; the others are counted as not looked at.
//
// Out of reach: system calls made by instructions of the program's own, and the few by which the C library writes
// without these functions (before an abort, for one). They are in the kernel's count of writes and in no entry. A write
// is no point of cancellation.
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unwind.h>

#include "program.h"

#define TABLE ".tally-writes"        // sandbox/meter/tables.py collects it
#define MAGIC 0x3173657469727774ULL  // "twrites1"
#define STACKS 2048
#define FRAMES 24      // of one stack, in the program's file
#define MOST_STEPS 64  // up one stack
#define PROBES 32
#define KEPT 8  // stacks per thread
#define MANY 100000
#define EVERY 8

struct counts {
    _Atomic uint64_t writes, bytes;
};

struct stack {
    _Atomic uint64_t key;          // of the frames; 0: free
    struct counts exact, sampled;  // sampled: each stands for others that nobody looked at
    _Atomic uint32_t is_ready;     // the frames are all there
    uint32_t depth;
    uint64_t frames[FRAMES];  // offsets in the program's file, the innermost first
};

static struct table {
    uint64_t magic;
    struct counts skipped;  // not looked at
    struct stack stacks[STACKS];
} *table;

static _Atomic uint64_t walks, chance = 88172645463325252ULL;

// What a walk found.
struct walk {
    uintptr_t bottom;  // frames below are our own
    uint32_t depth, steps, slots;
    int is_kept;  // every return address was found where its caller left it
    uint64_t frames[FRAMES];
    uintptr_t functions[FRAMES];
    uintptr_t slot[MOST_STEPS], address[MOST_STEPS];
};

struct kept {
    uintptr_t bottom;  // 0: free
    uint32_t slots;
    struct stack *stack;
    uintptr_t slot[MOST_STEPS], address[MOST_STEPS];
};

static __thread struct kept kept[KEPT] __attribute__((tls_model("initial-exec")));
static __thread unsigned next_kept __attribute__((tls_model("initial-exec")));
static __thread volatile int is_busy __attribute__((tls_model("initial-exec")));  // a signal handler may write too

// A function that calls itself gets one frame, its innermost: else each depth of a recursion would be a stack of its
// own.
static void take_frame(struct walk *walk, struct _Unwind_Context *context, uintptr_t address) {
    const uintptr_t function = _Unwind_GetRegionStart(context);
    for (uint32_t i = 0; i < walk->depth; i++)
        if (walk->functions[i] == function) return;
    walk->functions[walk->depth] = function;
    walk->frames[walk->depth++] = address - base;
}

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *argument) {
    struct walk *walk = argument;
    int is_before = 0;
    const uintptr_t address = _Unwind_GetIPInfo(context, &is_before);
    const uintptr_t slot = _Unwind_GetCFA(context) - sizeof(void *);
    if (!address) return _URC_END_OF_STACK;
    if (slot < walk->bottom) return _URC_NO_REASON;
#ifdef __x86_64__
    if (*(uintptr_t *)slot == address) {
        walk->slot[walk->slots] = slot;
        walk->address[walk->slots++] = address;
    } else {
        walk->is_kept = 0;
    }
#else
    walk->is_kept = 0;
#endif
    const uintptr_t place = address - !is_before;  // the last call of the last function returns to behind the text
    if (place >= text_start && place < text_end) take_frame(walk, context, place);
    return ++walk->steps == MOST_STEPS || walk->depth == FRAMES ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static uint64_t key_of(const struct walk *walk) {
    uint64_t key = 14695981039346656037ULL;
    for (uint32_t i = 0; i < walk->depth; i++) key = (key ^ walk->frames[i]) * 1099511628211ULL, key ^= key >> 29;
    return key ? key : 1;
}

// The entry of this stack, made if there is none; NULL when the table is full.
static struct stack *find(const struct walk *walk) {
    const uint64_t key = key_of(walk);
    for (uint64_t i = 0; i < PROBES; i++) {
        struct stack *stack = &table->stacks[(key + i) % STACKS];
        uint64_t found = 0;
        if (atomic_compare_exchange_strong(&stack->key, &found, key)) {
            stack->depth = walk->depth;
            memcpy(stack->frames, walk->frames, walk->depth * sizeof *walk->frames);
            atomic_store(&stack->is_ready, 1);
            return stack;
        }
        if (found == key) return stack;
    }
    return NULL;
}

static void add(struct counts *counts, uint64_t bytes) {
    atomic_fetch_add_explicit(&counts->writes, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counts->bytes, bytes, memory_order_relaxed);
}

static struct stack *find_kept(uintptr_t bottom) {
    for (unsigned i = 0; i < KEPT; i++) {
        const struct kept *one = &kept[i];
        uint32_t same = 0;
        if (one->bottom != bottom) continue;
        while (same < one->slots && *(uintptr_t *)one->slot[same] == one->address[same]) same++;
        if (same == one->slots) return one->stack;
    }
    return NULL;
}

static void keep(const struct walk *walk, struct stack *stack) {
    struct kept *one = &kept[next_kept++ % KEPT];
    one->slots = walk->slots;
    one->stack = stack;
    memcpy(one->slot, walk->slot, walk->slots * sizeof *walk->slot);
    memcpy(one->address, walk->address, walk->slots * sizeof *walk->address);
    one->bottom = walk->bottom;
}

// By chance, since what a program does has a rhythm.
static int is_chosen(void) {
    uint64_t drawn = atomic_load_explicit(&chance, memory_order_relaxed);
    drawn ^= drawn << 13, drawn ^= drawn >> 7, drawn ^= drawn << 17;
    atomic_store_explicit(&chance, drawn, memory_order_relaxed);
    return (drawn >> 32) % EVERY == 0;
}

static void walk_and_count(uintptr_t bottom, uint64_t bytes, int may_keep) {
    struct walk walk;
    const int is_sampled = atomic_fetch_add_explicit(&walks, 1, memory_order_relaxed) >= MANY;
    if (is_sampled && !is_chosen()) {
        add(&table->skipped, bytes);
        return;
    }
    walk.bottom = bottom;
    walk.depth = walk.steps = walk.slots = 0;
    walk.is_kept = 1;
    _Unwind_Backtrace(step, &walk);
    struct stack *stack = find(&walk);
    if (!stack) return;
    add(is_sampled ? &stack->sampled : &stack->exact, bytes);
    if (walk.is_kept && may_keep) keep(&walk, stack);
}

// `frame` is that of the function that the program has called.
static ssize_t noted(ssize_t result, void *frame) {
    const int error = errno;
    const uintptr_t bottom = (uintptr_t)frame;
    if (result < 0 && error == EBADF) return result;  // the kernel's books leave it out too
    const int may_keep = !is_busy;
    is_busy = 1;
    struct stack *stack = may_keep ? find_kept(bottom) : NULL;
    if (stack) add(&stack->exact, result > 0 ? result : 0);
    else walk_and_count(bottom, result > 0 ? result : 0, may_keep);
    if (may_keep) is_busy = 0;
    errno = error;
    return result;
}

#define NOTED(...) noted(syscall(__VA_ARGS__), __builtin_frame_address(0))

static ssize_t traced_write(int fd, const void *data, size_t size) { return NOTED(SYS_write, (long)fd, data, size); }
static ssize_t traced_writev(int fd, const struct iovec *parts, int count) {
    return NOTED(SYS_writev, (long)fd, parts, (long)count);
}
static ssize_t traced_pwrite(int fd, const void *data, size_t size, off64_t at) {
    return NOTED(SYS_pwrite64, (long)fd, data, size, at);
}
static ssize_t traced_pwritev(int fd, const struct iovec *parts, int count, off64_t at) {
    return NOTED(SYS_pwritev, (long)fd, parts, (long)count, at, 0L);
}
static ssize_t traced_pwritev2(int fd, const struct iovec *parts, int count, off64_t at, int flags) {
    return NOTED(SYS_pwritev2, (long)fd, parts, (long)count, at, 0L, (long)flags);
}

// Jump to an address that follows the instructions.
#if defined(__x86_64__)
static const unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0};  // jmp *0(%rip)
#elif defined(__aarch64__)
static const unsigned char jump[] = {0x50, 0, 0, 0x58, 0, 2, 0x1f, 0xd6};  // ldr x16, 8; br x16
#endif

// Lay a jump to ours over the beginning of the C library's function. Nobody else runs yet.
static int divert(const char *name, void *ours) {
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    char *function = dlsym(RTLD_NEXT, name);
    const size_t size = sizeof jump + sizeof ours;
    if (!function || !dladdr1(function, &info, (void **)&symbol, RTLD_DL_SYMENT)) return -1;
    if (!symbol || symbol->st_size < size) return -1;
    char *page = (char *)((uintptr_t)function & ~(uintptr_t)(sysconf(_SC_PAGESIZE) - 1));
    const size_t length = function + size - page;
    if (mprotect(page, length, PROT_READ | PROT_WRITE | PROT_EXEC) < 0) return -1;
    memcpy(function, jump, sizeof jump);
    memcpy(function + sizeof jump, &ours, sizeof ours);
    __builtin___clear_cache(function, function + size);
    return mprotect(page, length, PROT_READ | PROT_EXEC);
}

__attribute__((constructor)) static void begin(int count, char **arguments, char **environment) {
    (void)count, (void)arguments;
    leave_the_environment(environment);
    dl_iterate_phdr(find_program, NULL);
    table = make_table(TABLE, sizeof *table);
    if (!table || divert("write", traced_write) < 0) return;
    // without these, what goes by them is named for no line
    divert("writev", traced_writev), divert("pwrite64", traced_pwrite);
    divert("pwritev64", traced_pwritev), divert("pwritev64v2", traced_pwritev2);
    table->magic = MAGIC;
}
