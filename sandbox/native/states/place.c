// Where the program is, in the records that sandbox.unwinding reads (<linux/perf_event.h>).
#include <stdio.h>
#include <string.h>

#include "states.h"

enum { COMM = 3, SAMPLE = 9, MMAP2 = 10, EXEC = 1 << 13, REGISTERS_64 = 2 };

static const struct state *noted;
static char stack[STACK_BYTES];
static uint64_t stack_length;

void note_place(const struct state *state) {
    noted = state;
    stack_length = STACK_BYTES;  // less near its end
    while (stack_length && !try_read_memory(state->registers.rsp, stack, stack_length)) stack_length -= 8;
}

static void write_record(uint32_t kind, uint32_t flags, const void *body, uint32_t length) {
    static uint64_t time_ns;
    const uint32_t head[4] = {kind, flags, length, 0};
    time_ns++;
    fwrite(head, 12, 1, stdout);
    fwrite(&time_ns, 8, 1, stdout);
    fwrite(body, 1, length, stdout);
}

static void write_mapping(const struct mapping *mapping) {
    struct {
        uint32_t pid, thread;
        uint64_t begin, size, offset;
        uint32_t device[2];
        uint64_t inode[2];
        uint32_t rights[2];
        char name[512];
    } body = {.pid = traced, .begin = mapping->begin, .size = mapping->end - mapping->begin, .offset = mapping->offset};
    memcpy(body.name, mapping->name, sizeof body.name);
    write_record(MMAP2, 0, &body, sizeof body - sizeof body.name + strlen(body.name) + 1);
}

void write_place(void) {
    const uint32_t process[2] = {traced, traced};
    write_record(COMM, EXEC, process, sizeof process);
    struct mapping mapping;
    for (const char *text = noted->maps; next_mapping(&text, &mapping);)
        if (mapping.rights[2] == 'x' || mapping.rights[0] == 'r') write_mapping(&mapping);
    const struct user_regs_struct *at = &noted->registers;
    struct {
        uint32_t pid, thread;
        uint64_t time_ns, kind, registers[12], size;
        char stack[STACK_BYTES];
        uint64_t copied;
    } body = {.pid = traced,
              .thread = traced,
              .kind = REGISTERS_64,
              .registers = {at->rbx, at->rbp, at->rsp, at->rip, at->r8, at->r9, at->r10, at->r11, at->r12, at->r13,
                            at->r14, at->r15},
              .size = STACK_BYTES,
              .copied = stack_length};
    memcpy(body.stack, stack, sizeof stack);
    write_record(SAMPLE, 0, &body, sizeof body);
    fflush(stdout);
}
