// The system-call filter: the policy (policy.c) as a classic BPF program, and who puts it on.
//
// How it works: calls that some row tests by their arguments come first, a block of instructions each; then the numbers
// of the calls that are allowed whatever their arguments are; what is left gets the answer of unlisted calls. The
// kernel finds out that the second kind needs nothing but the number (seccomp_cache_prepare, Linux 5.11) and never runs
// the program for them. Other architectures' calls (i386, x32) get ENOSYS. libseccomp cannot say "these values, else
// that error" of one call, hence no libseccomp.
//
// It takes 60 us to put on, so the runner (runner.c) has it on and its children inherit it. The few calls that start a
// program from there are refused by the last filter, which each child puts on itself: that takes 10 us.
#include <errno.h>
#include <linux/audit.h>
#include <linux/bpf_common.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "init.h"
#include "policy.h"

#if defined __x86_64__
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the filter knows x86-64 and aarch64"
#endif

enum { MOST_INSTRUCTIONS = 4096 /* BPF_MAXINSNS */, MOST_NUMBERS = 512, MOST_JUMPS = 16 };

static struct sock_filter instructions[MOST_INSTRUCTIONS];
static struct sock_fprog program_filter = {.filter = instructions};

static void emit(struct sock_filter instruction) {
    if (program_filter.len == MOST_INSTRUCTIONS) abort();  // the policy is part of this file: a test would have seen it
    instructions[program_filter.len++] = instruction;
}

static void load(size_t offset) { emit((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)); }

static void compare(uint16_t how, uint32_t value, uint8_t if_true, uint8_t if_false) {
    emit((struct sock_filter)BPF_JUMP(BPF_JMP | how | BPF_K, value, if_true, if_false));
}

static void answer(int what) {
    emit((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what == ALLOW ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | what));
}

// Jumps forward to a place that is not known yet.
struct jumps {
    size_t at[MOST_JUMPS], count;
};

static void jump(struct jumps *jumps) {
    if (jumps->count == MOST_JUMPS) abort();
    jumps->at[jumps->count++] = program_filter.len;
    emit((struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 0));
}

static void land(struct jumps *jumps) {
    while (jumps->count) {
        const size_t at = jumps->at[--jumps->count];
        instructions[at].k = program_filter.len - at - 1;
    }
}

// Goes on behind it where the test holds, else to `failed`.
static void emit_test(const struct test *test, struct jumps *failed) {
    const size_t low = offsetof(struct seccomp_data, args[test->argument]);  // little-endian, as both architectures are
    if (test->is_wide) {
        load(low + 4);
        compare(BPF_JEQ, 0, 1, 0);
        jump(failed);
    }
    load(low);
    if (!test->values) {
        compare(BPF_JSET, ~(uint32_t)test->bits, 0, 1);
        jump(failed);
        return;
    }
    if (test->ignored) emit((struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~(uint32_t)test->ignored));
    for (size_t i = 0; i < test->count; i++) compare(BPF_JEQ, test->values[i], test->count - i, 0);
    jump(failed);
}

// The policy's calls by their numbers, and the row that each is of; a jail opens while this is made.
static struct {
    int number;
    const struct row *row;
} entries[MOST_NUMBERS];
static size_t entry_count;

static void find_numbers(void) {
    for (size_t i = 0; i < policy_rows; i++)
        for (size_t n = 0; policy[i].calls[n]; n++) {
            const int number = call_number(policy[i].calls[n]);
            if (number < 0) continue;
            if (entry_count == MOST_NUMBERS) abort();
            entries[entry_count].number = number, entries[entry_count++].row = &policy[i];
        }
}

static int is_first(size_t entry) {
    for (size_t i = 0; i < entry; i++)
        if (entries[i].number == entries[entry].number) return 0;
    return 1;
}

// All rows of one call, in their order.
static void emit_block(int number) {
    struct jumps other = {0}, failed = {0};
    compare(BPF_JEQ, number, 1, 0);
    jump(&other);
    for (size_t i = 0; i < entry_count; i++) {
        const struct row *row = entries[i].row;
        if (entries[i].number != number) continue;
        for (size_t n = 0; n < MOST_TESTS && row->tests[n].is_used; n++) emit_test(&row->tests[n], &failed);
        answer(row->answer);
        land(&failed);
    }
    answer(unlisted_answer(number));
    land(&other);
}

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

// Three instructions for each unbroken series of numbers.
static void emit_allowed(int *numbers, size_t count) {
    qsort(numbers, count, sizeof *numbers, by_number);
    for (size_t first = 0, last; first < count; first = last + 1) {
        for (last = first; last + 1 < count && numbers[last + 1] <= numbers[last] + 1; last++) continue;
        compare(BPF_JGE, numbers[first], 0, 2);
        compare(BPF_JGT, numbers[last], 1, 0);
        answer(ALLOW);
    }
}

int build_filter(void) {
    static int allowed[MOST_NUMBERS];
    size_t count = 0;
    load(offsetof(struct seccomp_data, arch));
    compare(BPF_JEQ, OWN_ARCHITECTURE, 1, 0);
    answer(ENOSYS);
    load(offsetof(struct seccomp_data, nr));
    find_numbers();
    for (size_t i = 0; i < entry_count; i++) {
        if (!is_first(i)) continue;
        if (entries[i].row->answer == ALLOW && !entries[i].row->tests[0].is_used) allowed[count++] = entries[i].number;
        else emit_block(entries[i].number);
    }
    emit_allowed(allowed, count);
    compare(BPF_JGT, SYS_rseq, 0, 1);  // x32's numbers are larger too
    answer(unlisted_answer(SYS_rseq + 1));
    answer(unlisted_answer(0));
    return 0;
}

void write_filter(void) { fwrite(instructions, sizeof *instructions, program_filter.len, stdout); }

static int install(struct sock_fprog *program) {
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, program) < 0 ? -1 : 0;
}

int install_filter(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -1 : install(&program_filter); }

// Numbers of this architecture's calls; the filter below it has the last word on others'.
int install_last_filter(void) {
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setsid, 2, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
    return install(&program);
}

// In place of the last filter: lets a program be executed and kills it at its first call.
int install_exec_only_filter(void) {
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrusage, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
    return install(&program);
}
