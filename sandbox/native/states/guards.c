// Guards: what reads a clock or chance without a system call stops the program.
//
// The functions that the kernel gives each program for its clocks (vdso) become traps. A page of code in which the
// bytes of an instruction that reads a counter or a random number stand anywhere may be executed step by step only,
// each looked at, or with a breakpoint at each such place. A timer that the program has set would end what looks
// endless; so would a limit of CPU time of its own.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "states.h"

enum { MOST_GUARDS = 4096, RED_ZONE = 128, MOST_TRAPS = 3, OFTEN = 4 };

static uint64_t guarded[MOST_GUARDS];  // pages
static size_t guards;
static unsigned openings[MOST_GUARDS];  // how often each was executed
static uint64_t trapped[MOST_TRAPS];    // by the processor
static size_t traps;
static struct state state;
static struct mapping kernels;  // functions
static uint64_t gate;           // an instruction for system calls among them

int is_guarded(uint64_t address) {
    for (size_t i = 0; i < guards; i++)
        if (guarded[i] == address / PAGE) return address >= PAGE;
    return 0;
}

static void guard(uint64_t address) {
    if (is_guarded(address)) return;
    if (guards == MOST_GUARDS) tell("unknown memory");
    guarded[guards++] = address / PAGE;
}

// rdtsc, rdtscp; rdrand, rdseed and rdpid by their register forms, the only ones.
static int reads_counter(const unsigned char *code, size_t length) {
    if (length < 2 || code[0] != 0x0f) return 0;
    if (code[1] == 0x31) return 1;
    return length > 2 && ((code[1] == 0x01 && code[2] == 0xf9) || (code[1] == 0xc7 && code[2] >= 0xf0));
}

// Ends at an instruction that reads a counter, whatever prefixes it has.
void check_instruction(uint64_t address) {
    unsigned char code[16] = {0};
    if (address >= kernels.begin && address < kernels.end) tell("unknown clock");
    for (size_t length = sizeof code; length && !try_read_memory(address, code, length);) length--;
    size_t start = 0;
    while (start < 12 && (code[start] == 0x66 || code[start] == 0xf2 || code[start] == 0xf3 || code[start] >> 4 == 4))
        start++;
    if (reads_counter(code + start, sizeof code - start)) tell("unknown clock");
}

int is_trapped(uint64_t address) {
    for (size_t i = 0; i < traps; i++)
        if (trapped[i] == address) return 1;
    return 0;
}

static int is_prefix(unsigned char byte) { return byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte >> 4 == 4; }

// A page that is executed often and has few such places: the processor tells of an instruction that begins at one, and
// none begins before it where the byte there is no prefix.
int guard_by_traps(uint64_t page) {
    unsigned char code[PAGE + 3] = {0};
    uint64_t places[MOST_TRAPS];
    size_t count = 0, i = 0;
    while (guarded[i] != page) i++;
    if (++openings[i] < OFTEN || !try_read_memory(page * PAGE - 1, code, sizeof code)) return 0;
    for (size_t at = 1; at <= PAGE; at++) {
        if (!reads_counter(code + at, sizeof code - at)) continue;
        if (traps + count == MOST_TRAPS || is_prefix(code[at - 1])) return 0;
        places[count++] = page * PAGE + at - 1;
    }
    for (size_t place = 0; place < count; place++) {
        trapped[traps++] = places[place];
        trap_at(traps, places[place]);
    }
    guarded[i] = 0;
    return 1;
}

void set_executable(uint64_t address, int is_executable) {
    const int rights = is_executable ? PROT_READ | PROT_EXEC : PROT_READ;
    if (call_in_it(gate, SYS_mprotect, address / PAGE * PAGE, PAGE, rights) != 0) tell("unknown memory");
}

static unsigned char *code_of(const struct mapping *mapping) {
    size_t length = mapping->end - mapping->begin;
    unsigned char *code = length <= 64 << 20 ? malloc(length) : NULL;
    if (!code) tell("unknown memory");
    read_memory(mapping->begin, code, length);
    return code;
}

static void find_gate(void) {
    unsigned char *code = code_of(&kernels);
    for (size_t i = 0; !gate && i + 1 < kernels.end - kernels.begin; i++)
        if (code[i] == 0x0f && code[i + 1] == 0x05) gate = kernels.begin + i;
    free(code);
    if (!gate) tell("unknown machine");
}

static void guard_code(const struct mapping *mapping) {
    unsigned char *code = code_of(mapping);
    const size_t length = mapping->end - mapping->begin;
    for (size_t i = 0; i < length; i++)
        if (reads_counter(code + i, length - i)) guard(mapping->begin + i);
    free(code);
    for (uint64_t page = mapping->begin; page < mapping->end; page += PAGE)
        if (is_guarded(page)) set_executable(page, 0);
}

// All but the gate, which nobody reaches then.
static void guard_kernels_functions(void) {
    static unsigned char stops[16 * PAGE];
    if (kernels.end - kernels.begin > sizeof stops) tell("unknown memory");
    memset(stops, 0xcc, sizeof stops);
    write_memory(kernels.begin, stops, gate - kernels.begin);
    write_memory(gate + 2, stops, kernels.end - gate - 2);
    for (uint64_t page = kernels.begin; page < kernels.end; page += PAGE) guard(page);
}

static int has_timer(void) {
    char path[40], text[8];
    snprintf(path, sizeof path, "/proc/%d/timers", traced);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) tell("unknown refused");
    if (read(file, text, sizeof text) != 0) return 1;
    close(file);
    struct rlimit limit;
    if (prlimit(traced, RLIMIT_CPU, NULL, &limit) < 0 || limit.rlim_cur != RLIM_INFINITY) return 1;
    uint64_t at = (state.registers.rsp - RED_ZONE - sizeof(struct itimerval)) & ~15ULL;
    struct itimerval kept, timer;
    read_memory(at, &kept, sizeof kept);
    int has = 0;
    for (uint64_t which = ITIMER_REAL; which <= ITIMER_PROF; which++) {
        if (call_in_it(gate, SYS_getitimer, which, at, 0) != 0) tell("unknown calls");
        read_memory(at, &timer, sizeof timer);
        has |= timer.it_value.tv_sec || timer.it_value.tv_usec;
    }
    write_memory(at, &kept, sizeof kept);
    return has;
}

void put_up_guards(void) {
    state_now(&state);
    struct mapping mapping;
    for (const char *text = state.maps; next_mapping(&text, &mapping);)
        if (strcmp(mapping.name, "[vdso]") == 0) kernels = mapping;
    if (!kernels.end) tell("unknown machine");
    const uint64_t at = state.registers.rip;
    if (at >= kernels.begin && at < kernels.end) tell("unknown clock");
    find_gate();
    if (has_timer()) tell("unknown timer");
    for (const char *text = state.maps; next_mapping(&text, &mapping);)
        if (strncmp(mapping.rights, "r-x", 3) == 0 && mapping.begin != kernels.begin) guard_code(&mapping);
    guard_kernels_functions();
}
