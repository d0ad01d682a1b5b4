// The preload that notes where a signal ends a program.
//
// How it works
//   Loaded by LD_PRELOAD, its constructor installs a handler for the signals by which a program ends that does
//   something wrong. The handler runs on a stack of its own, since the program's may be full. It walks up the stack of
//   the thread that got the signal, writes the addresses of the program's own file into the table, and then lets the
//   same signal end the program: its default action is back, and it is not blocked. Which of the addresses is the
//   student's line is for the host to say, who has the debug information.
//
//   After an exception that nothing catches the C++ library aborts without unwinding, so that the place of the throw is
//   still on the stack.
//
// Out of reach: a program that installs handlers of its own, and a full stack of another thread than the first.
#include <signal.h>
#include <ucontext.h>
#include <unwind.h>

#include "program.h"

#define TABLE ".tally-ending"        // sandbox/meter/tables.py collects it
#define MAGIC 0x31676e69646e6574ULL  // "tending1"
#define FRAMES 64                    // in the program's file
#define MOST_STEPS 4096              // up one stack
#define STACK_BYTES 65536

static struct table {
    uint64_t magic;
    uint32_t signal, depth;
    uint64_t frames[FRAMES];  // offsets in the program's file, the innermost first
} *table;

static char stack[STACK_BYTES];
static uint32_t steps;

static void take_frame(uintptr_t place) {
    if (place >= text_start && place < text_end) table->frames[table->depth++] = place - base;
}

static uintptr_t interrupted(const ucontext_t *context) {
#if defined(__x86_64__)
    return context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return context->uc_mcontext.pc;
#endif
}

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *unused) {
    (void)unused;
    int is_before = 0;  // the address is that of the instruction itself, as at a fault, and not the one behind a call
    const uintptr_t address = _Unwind_GetIPInfo(context, &is_before);
    if (!address) return _URC_END_OF_STACK;
    take_frame(address - !is_before);
    return ++steps == MOST_STEPS || table->depth == FRAMES ? _URC_END_OF_STACK : _URC_NO_REASON;
}

// What is behind the place itself is taken last: a stack that the program has overwritten cannot be walked up.
static void note(int number, siginfo_t *unused, void *context) {
    static volatile sig_atomic_t is_noted;
    (void)unused;
    signal(number, SIG_DFL);
    if (!is_noted) {
        is_noted = 1;
        table->signal = number;
        table->magic = MAGIC;
        take_frame(interrupted(context));
        _Unwind_Backtrace(step, NULL);
    }
    raise(number);
}

__attribute__((constructor)) static void begin(int count, char **arguments, char **environment) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_ONSTACK | SA_NODEFER | SA_SIGINFO};
    (void)count, (void)arguments;
    leave_the_environment(environment);
    dl_iterate_phdr(find_program, NULL);
    table = make_table(TABLE, sizeof *table);
    if (!table || sigaltstack(&own, NULL) < 0) return;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, NULL);
}
