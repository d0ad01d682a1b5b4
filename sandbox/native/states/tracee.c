// The traced program: stops, registers, memory.
#include <errno.h>
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "states.h"

enum { RESUME_FLAG = 1 << 16, TRAP_FLAG = 1 << 8 };  // of the processor, for breakpoints and for steps
enum { MOST_INSTRUCTION = 15 };                      // bytes
enum { CALL_STOP = SIGTRAP | 0x80 };

pid_t traced;
static int memory = -1;
static volatile sig_atomic_t is_late;
static uint64_t breakpoint, armed;  // the wanted one, and what the processor has
static uint64_t enabled;            // debug register 7: which of four breakpoints it has
static uint64_t opened[2];          // guarded pages that it executes step by step: an instruction may lie in two
static int is_in_call;

static void on_alarm(int number) { is_late = number; }

void wake_at(uint64_t ms) {
    struct sigaction action = {.sa_handler = on_alarm};
    // again and again: the first may come just before a wait
    struct itimerval timer = {.it_value = {ms / 1000, ms % 1000 * 1000 + 1}, .it_interval = {0, 10000}};
    sigaction(SIGALRM, &action, NULL);
    is_late = 0;
    setitimer(ITIMER_REAL, &timer, NULL);
}

// Waits for the next stop and returns its status; -1 when it is late, and may be.
static int wait_for_stop(int may_be_late) {
    int status;
    for (;;) {
        pid_t pid = waitpid(traced, &status, __WALL);
        if (pid == traced) break;
        if (pid < 0 && errno != EINTR) tell("unknown lost");
        if (is_late && may_be_late) return -1;
    }
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
        traced = 0;
        tell("unknown ended");
    }
    return status;
}

static void stop(void) {
    if (ptrace(PTRACE_INTERRUPT, traced, NULL, NULL) < 0) tell("unknown lost");
    // it may have stopped by itself just before: the interrupt comes later
    int status = wait_for_stop(0);
    if (WSTOPSIG(status) == CALL_STOP) is_in_call = !is_in_call;
    else if (WSTOPSIG(status) != SIGTRAP && WSTOPSIG(status) != SIGSEGV) tell("unknown signal");
}

// The number may have gone to another program in the meantime.
static int is_in_group(pid_t pid, const char *threads) {
    FILE *file = fopen(threads, "re");
    int is_there = 0;
    for (int thread; file && !is_there && fscanf(file, "%d", &thread) == 1;) is_there = thread == pid;
    if (file) fclose(file);
    return is_there;
}

void seize(pid_t pid, const char *threads) {
    long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                   PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    char path[40];
    if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) < 0) tell(errno == ESRCH ? "unknown ended" : "unknown refused");
    if (!is_in_group(pid, threads)) tell("unknown ended");  // which lets the other program go on
    traced = pid;
    stop();
    if (ptrace(PTRACE_SETOPTIONS, pid, NULL, options) < 0) tell("unknown lost");
    snprintf(path, sizeof path, "/proc/%d/mem", pid);
    memory = open(path, O_RDWR | O_CLOEXEC);
    if (memory < 0) tell("unknown refused");
}

int try_read_memory(uint64_t address, void *to, size_t length) {
    return pread(memory, to, length, (off_t)address) == (ssize_t)length;
}

void read_memory(uint64_t address, void *to, size_t length) {
    if (!try_read_memory(address, to, length)) tell("unknown memory");
}

void write_memory(uint64_t address, const void *from, size_t length) {
    if (pwrite(memory, from, length, (off_t)address) != (ssize_t)length) tell("unknown memory");
}

struct user_regs_struct registers_now(void) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, traced, NULL, &registers) < 0) tell("unknown lost");
    return registers;
}

void state_now(struct state *state) {
    state->registers = registers_now();
    struct iovec floats = {state->floats, sizeof state->floats};
    if (ptrace(PTRACE_GETREGSET, traced, (void *)NT_X86_XSTATE, &floats) < 0 || floats.iov_len == sizeof state->floats)
        tell("unknown machine");
    state->floats_length = floats.iov_len;
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/maps", traced);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = 0;
    state->maps_length = 0;
    do {
        state->maps_length += length;
        length = file < 0 ? -1 : read(file, state->maps + state->maps_length, MAPS_BYTES - 1 - state->maps_length);
    } while (length > 0);
    if (length < 0 || state->maps_length == MAPS_BYTES - 1) tell("unknown memory");
    state->maps[state->maps_length] = 0;
    close(file);
}

// But for what only tracing sets, and the number of the last system call, which no program can see.
int same_registers(const struct user_regs_struct *now, const struct user_regs_struct *before) {
    struct user_regs_struct same = *now;
    same.orig_rax = before->orig_rax;
    same.eflags = (now->eflags & ~(RESUME_FLAG | TRAP_FLAG)) | (before->eflags & (RESUME_FLAG | TRAP_FLAG));
    return memcmp(&same, before, sizeof same) == 0;
}

// But for the eight bytes that say which parts are in their first state: the kernel fills these in.
int same_floats(const struct state *now, const struct state *before) {
    const size_t which = 512, rest = which + 8;
    return now->floats_length == before->floats_length && now->floats_length > rest &&
           memcmp(now->floats, before->floats, which) == 0 &&
           memcmp(now->floats + rest, before->floats + rest, now->floats_length - rest) == 0;
}

static void poke_debug(size_t number, uint64_t value) {
    if (ptrace(PTRACE_POKEUSER, traced, offsetof(struct user, u_debugreg) + number * sizeof(long), value) < 0)
        tell("unknown machine");
}

static void arm(uint64_t address) {
    if (armed == address) return;
    const uint64_t others = enabled & ~1ULL;
    poke_debug(7, others);
    if (address) poke_debug(0, address);
    enabled = others | (address != 0);
    if (address) poke_debug(7, enabled);
    armed = address;
}

void trap_at(size_t number, uint64_t address) {
    poke_debug(number, address);
    enabled |= 1ULL << 2 * number;
    poke_debug(7, enabled);
}

void set_breakpoint(uint64_t address) { breakpoint = address; }

// A step is told of only after a system call, a breakpoint before it.
int is_call(uint64_t address) {
    unsigned char code[2] = {0};
    return try_read_memory(address, code, sizeof code) &&
           ((code[0] == 0x0f && (code[1] == 0x05 || code[1] == 0x34)) || code[0] == 0xcd);
}

// A breakpoint that is told of without the flag would be told of again, at the same place.
static enum seen seen_at_trap(enum __ptrace_request how) {
    siginfo_t info;
    if (ptrace(PTRACE_GETSIGINFO, traced, NULL, &info) < 0) tell("unknown lost");
    if (how == PTRACE_SINGLESTEP && (info.si_code == TRAP_TRACE || info.si_code == TRAP_BRKPT)) return SEEN_STEP;
    const struct user_regs_struct registers = registers_now();
    if (info.si_code == TRAP_HWBKPT && armed && registers.rip == armed && registers.eflags & RESUME_FLAG)
        return SEEN_BREAKPOINT;
    tell(is_guarded(registers.rip - 1) || is_trapped(registers.rip) ? "unknown clock" : "unknown signal");
}

static int touches_guard(uint64_t at) { return is_guarded(at) || is_guarded(at + MOST_INSTRUCTION - 1); }

static enum seen resume(enum __ptrace_request how, int may_be_late) {
    for (;;) {
        if (ptrace(how, traced, NULL, NULL) < 0 && errno != ESRCH) tell("unknown lost");
        int status = wait_for_stop(may_be_late);
        if (status < 0) {
            stop();
            return SEEN_LATE;
        }
        const int number = WSTOPSIG(status), event = status >> 16;
        if (event == PTRACE_EVENT_STOP && number == SIGTRAP) continue;  // an interrupt of ours that came late
        if (event) tell("unknown processes");
        if (number == CALL_STOP) {
            is_in_call = !is_in_call;
            return SEEN_CALL;
        }
        if (number == SIGTRAP) return seen_at_trap(how);
        if (number != SIGSEGV || opened[0] || opened[1] || !touches_guard(registers_now().rip)) tell("unknown signal");
        return SEEN_GUARD;
    }
}

// A page that is guarded for the bytes in it may be executed step by step, as long as each instruction is another one.
static void mind_guards(uint64_t at) {
    const uint64_t ends[] = {at, at + MOST_INSTRUCTION - 1};
    for (int i = 0; i < 2; i++) {
        const uint64_t page = is_guarded(ends[i]) ? ends[i] / PAGE : 0;
        if (opened[i] == page) continue;
        arm(0);
        if (is_guarded(opened[i] * PAGE) && opened[i] != opened[!i]) set_executable(opened[i] * PAGE, 0);
        if (page) set_executable(ends[i], 1);
        opened[i] = page && !guard_by_traps(page) ? page : 0;
    }
    if (opened[0] || opened[1]) check_instruction(at);
}

enum seen run_on(int by_step) {
    if (is_late) return SEEN_LATE;
    if (is_in_call) return resume(PTRACE_SYSCALL, 1);
    const struct user_regs_struct registers = registers_now();
    const uint64_t at = registers.rip;
    mind_guards(at);
    if (is_call(at)) {
        arm(0);
        return resume(PTRACE_SYSCALL, 1);
    }
    const int is_past = armed == at && registers.eflags & RESUME_FLAG;
    if (by_step || opened[0] || opened[1] || (at == breakpoint && !is_past)) {
        arm(0);
        return resume(PTRACE_SINGLESTEP, 1);
    }
    arm(breakpoint);
    return resume(PTRACE_SYSCALL, 1);
}

void let_run(uint64_t ms) {
    set_breakpoint(0);
    wake_at(ms);
    while (run_on(0) != SEEN_LATE) {}
}

// Has the stopped program make a system call, at `gate`, the address of the instruction for it.
uint64_t call_in_it(uint64_t gate, long number, uint64_t first, uint64_t second, uint64_t third) {
    const struct user_regs_struct kept = registers_now();
    struct user_regs_struct ours = kept;
    ours.rip = gate, ours.rax = number, ours.orig_rax = -1;
    ours.rdi = first, ours.rsi = second, ours.rdx = third;
    if (ptrace(PTRACE_SETREGS, traced, NULL, &ours) < 0) tell("unknown lost");
    if (resume(PTRACE_SINGLESTEP, 0) != SEEN_STEP) tell("unknown lost");
    uint64_t answer = registers_now().rax;
    if (ptrace(PTRACE_SETREGS, traced, NULL, &kept) < 0) tell("unknown lost");
    return answer;
}

int next_mapping(const char **text, struct mapping *mapping) {
    const char *end = strchr(*text, '\n');
    unsigned long long begin, after, offset;
    int at = 0;
    if (!end || sscanf(*text, "%llx-%llx %4s %llx %*s %*s %n", &begin, &after, mapping->rights, &offset, &at) < 4)
        return 0;
    size_t length = end - *text - at;
    if (at == 0 || *text + at > end) length = 0;
    if (length >= sizeof mapping->name) length = sizeof mapping->name - 1;
    memcpy(mapping->name, *text + at, length);
    mapping->name[length] = 0;
    mapping->begin = begin, mapping->end = after, mapping->offset = offset;
    *text = end + 1;
    return 1;
}

// Guards cut a file's code into pieces with other rights, which calls that are allowed cannot change: these are one.
static int next_part(const char **text, struct mapping *part) {
    if (!next_mapping(text, part)) return 0;
    const char *rest = *text;
    for (struct mapping next; part->name[0] == '/' && part->rights[1] != 'w' && next_mapping(&rest, &next);
         *text = rest) {
        if (next.begin != part->end || next.rights[1] == 'w' || strcmp(next.name, part->name) != 0) break;
        part->end = next.end;
    }
    if (part->name[0] == '/' && part->rights[1] != 'w') memcpy(part->rights, "code", sizeof part->rights);
    return 1;
}

int same_mappings(const struct state *now, const struct state *before) {
    const char *here = now->maps, *there = before->maps;
    struct mapping part, other;
    for (;;) {
        int is_here = next_part(&here, &part), is_there = next_part(&there, &other);
        if (!is_here || !is_there) return is_here == is_there;
        if (part.begin != other.begin || part.end != other.end || strcmp(part.rights, other.rights) != 0 ||
            strcmp(part.name, other.name) != 0)
            return 0;
    }
}
