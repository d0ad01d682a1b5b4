// Looks whether a running program comes back to the same whole state, which proves that it never ends:
//
//     states PID THREADS FILE MOST_MS RUN_MS MOST_BYTES >PLACE
//
// How it works: it stops the program (ptrace) and notes its whole state: registers, those of floating point and vectors
// included, its mappings, and each page that it can write. From then on a hardware breakpoint stops the program each
// time that it comes to the same instruction, FILE's if it can be. If then all of it is the same, and nothing else had
// a part in what lay between, the program does the same again and again. What else could have a part ends the search:
// a system call whose effect or answer could differ (calls.c), a signal, a timer, another thread, shared memory, and
// whatever reads a clock or chance without the kernel (guards.c). After MOST_MS it lets the program run on for RUN_MS
// and tries once more from there. In the end it kills the program.
//
// It runs outside of the jail, in a process of its own, and gives the program nothing: it reads its memory and
// registers, and what it writes there are the guards. THREADS: the file that lists the threads of its control group.
// PLACE: registers and stack at the noted moment, as sandbox.unwinding reads them. The last line on standard error:
// "repeated ROUNDS READS WRITES", or "unknown WHY".
#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "states.h"

enum { TRIES = 2, MOST_STEPS = 20000 };

static struct state before, now;
static const char *own_file;

void tell(const char *words, ...) {
    va_list arguments;
    va_start(arguments, words);
    vfprintf(stderr, words, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    if (traced) {
        kill(traced, SIGKILL);
        for (int status; waitpid(traced, &status, __WALL) == traced && !WIFEXITED(status) && !WIFSIGNALED(status);) {}
    }
    exit(0);
}

// What it needs no more: all but the right to open /proc/PID/mem of another user.
static void drop_rights(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, sets) < 0) tell("unknown rights");
    for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        sets[i].permitted &= i ? 0 : 1U << CAP_DAC_OVERRIDE;
        sets[i].effective &= sets[i].permitted;
        sets[i].inheritable = 0;
    }
    if (syscall(SYS_capset, &header, sets) < 0) tell("unknown rights");
}

static int is_of_own_file(uint64_t address, const char *maps) {
    struct mapping mapping;
    while (next_mapping(&maps, &mapping))
        if (address >= mapping.begin && address < mapping.end)
            return mapping.rights[2] == 'x' && strcmp(mapping.name, own_file) == 0;
    return 0;
}

// Steps on into the program's own file, where lines are known: it may have been stopped in a library.
static void step_to_own_file(void) {
    state_now(&now);
    for (int steps = 0;; steps++) {
        uint64_t at = registers_now().rip;
        if (!is_call(at) && (steps >= MOST_STEPS || is_of_own_file(at, now.maps))) return;
        if (run_on(1) == SEEN_LATE) return;
    }
}

// Returns when the time is over; tells and ends when the state has repeated.
static void search(uint64_t most_ms, uint64_t most_bytes) {
    wake_at(most_ms);
    step_to_own_file();
    if (is_call(registers_now().rip)) return;
    state_now(&before);
    copy_memory(&before, most_bytes);
    note_place(&before);
    counted_calls = (struct counted_calls){0};
    set_breakpoint(before.registers.rip);
    uint64_t rounds = 0;
    for (enum seen seen; (seen = run_on(0)) != SEEN_LATE;) {
        if (seen == SEEN_CALL) check_call();
        const struct user_regs_struct registers = registers_now();
        if (seen == SEEN_CALL || seen == SEEN_GUARD || registers.rip != before.registers.rip) continue;
        rounds++;
        if (!same_registers(&registers, &before.registers)) continue;
        if (!is_same_memory(&before)) continue;
        state_now(&now);
        if (!same_floats(&now, &before) || !same_mappings(&now, &before)) continue;
        write_place();
        tell("repeated %llu %llu %llu", (unsigned long long)rounds, (unsigned long long)counted_calls.reads,
             (unsigned long long)counted_calls.writes);
    }
    set_breakpoint(0);
}

int main(int argc, char **argv) {
    if (argc != 7) return 2;
    own_file = argv[3];
    uint64_t most_ms = strtoull(argv[4], NULL, 10), run_ms = strtoull(argv[5], NULL, 10);
    uint64_t most_bytes = strtoull(argv[6], NULL, 10);
    struct rlimit limit = {most_bytes * 2 + (64 << 20), most_bytes * 2 + (64 << 20)};
    setrlimit(RLIMIT_AS, &limit);
    drop_rights();
    seize(atoi(argv[1]), argv[2]);
    put_up_guards();
    for (int tries = 1;; tries++) {
        search(most_ms, most_bytes);
        if (tries == TRIES) tell("unknown time");
        let_run(run_ms);
    }
}
