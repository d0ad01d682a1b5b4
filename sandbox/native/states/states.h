// The parts of the tracer that looks whether a program comes back to the same whole state (states.c).
#ifndef TALLY_STATES_H
#define TALLY_STATES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#define PAGE 4096
#define STACK_BYTES 8192UL  // sandbox/unwinding/records.py has the same
#define MAPS_BYTES (256 * 1024)
#define FLOATS_BYTES (16 * 1024)

struct mapping {
    uint64_t begin, end, offset;
    char rights[5];
    char name[512];
};

// What a program is at one moment. `maps` is the kernel's list of its mappings.
struct state {
    struct user_regs_struct registers;
    char floats[FLOATS_BYTES];  // and vectors, as XSAVE lays them out
    size_t floats_length;
    char maps[MAPS_BYTES];
    size_t maps_length;
};

// Ends the program and this process: one line to standard error tells what was seen.
_Noreturn void tell(const char *words, ...) __attribute__((format(printf, 1, 2)));

// tracee.c: the traced program.
enum seen { SEEN_BREAKPOINT, SEEN_CALL, SEEN_LATE, SEEN_STEP, SEEN_GUARD };
void seize(pid_t pid, const char *threads);
uint64_t call_in_it(uint64_t gate, long number, uint64_t first, uint64_t second, uint64_t third);
struct user_regs_struct registers_now(void);
void state_now(struct state *state);
int same_registers(const struct user_regs_struct *now, const struct user_regs_struct *before);
int same_floats(const struct state *now, const struct state *before);
void read_memory(uint64_t address, void *to, size_t length);
int try_read_memory(uint64_t address, void *to, size_t length);
void write_memory(uint64_t address, const void *from, size_t length);
int same_mappings(const struct state *now, const struct state *before);
void set_breakpoint(uint64_t address);          // 0: none
void wake_at(uint64_t ms);                      // from now: what waits then sees SEEN_LATE
void trap_at(size_t number, uint64_t address);  // 1 to 3
int is_call(uint64_t address);
// To the breakpoint, to a system call, to its end, or by one instruction: at least that, but at a guard.
enum seen run_on(int by_step);
void let_run(uint64_t ms);
int next_mapping(const char **text, struct mapping *mapping);
extern pid_t traced;

// calls.c: system calls that change nothing that the program can see. Tells and ends at any other.
struct counted_calls {
    uint64_t reads, writes;
};
extern struct counted_calls counted_calls;
void check_call(void);

// guards.c: make whatever reads a clock or chance without a system call stop the program.
void put_up_guards(void);
int is_guarded(uint64_t address);
int guard_by_traps(uint64_t page);  // whether it need not be stepped through any more
int is_trapped(uint64_t address);
void check_instruction(uint64_t address);
void set_executable(uint64_t address, int is_executable);

// memory.c: a copy of all pages that the program can write, and whether they are the same again.
void copy_memory(const struct state *state, uint64_t most_bytes);
int is_same_memory(const struct state *state);

// place.c: where it is, for sandbox.unwinding.
void note_place(const struct state *state);
void write_place(void);

#endif
