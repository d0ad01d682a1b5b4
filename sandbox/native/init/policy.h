// The system-call policy as data: what policy.c says and filter.c makes instructions of.
#ifndef TALLY_POLICY_H
#define TALLY_POLICY_H

#include <stddef.h>
#include <stdint.h>

enum { MOST_TESTS = 3, ALLOW = -1 };

// Of one argument. The kernel looks at the lower half only of what is 32 bits wide for it, so the test does the same;
// `is_wide`: it looks at all 64 bits.
struct test {
    const uint64_t *values;  // one of these, after `ignored` bits are taken off; NULL: `bits` decide
    size_t count;
    uint64_t ignored;
    uint64_t bits;     // no other bit may be set
    uint8_t argument;  // 0 to 5
    uint8_t is_wide;
    uint8_t is_used;
};

// What happens to these calls where all tests hold. Of several rows for one call, the first that holds counts.
struct row {
    const char *const *calls;  // ended by NULL
    struct test tests[MOST_TESTS];
    int answer;  // ALLOW; 0: the call does nothing and says that it worked; else the errno it fails with
    const char *reason;
};

extern const struct row policy[];
extern const size_t policy_rows;

// Where no row holds: of calls up to rseq (Linux 4.18), and of later ones, which the C library does without.
int unlisted_answer(int number);
// The number of a call on this architecture; -1: it has none.
int call_number(const char *name);
// Writes the policy to stdout, one JSON object per row.
void print_policy(void);

#endif
