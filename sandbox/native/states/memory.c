// All pages that the program can write: a copy of them, and whether they are the same again.
//
// A page that was not there yet counts as different: so the copy need not say what it would have held. The words that
// were different before are looked at first, since a loop changes the same few again and again.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "states.h"

enum { MOST_RUNS = 65536, MOST_WORDS = 64, MOST_COMPARED = 2000, CHUNK = 64 * 1024 };
static const uint64_t PRESENT = 3ULL << 62;  // or swapped out: bits of /proc/PID/pagemap

// Pages one after the other.
struct run {
    uint64_t begin, end;
    char *copy;
};
static struct run runs[MOST_RUNS];
static size_t run_count;
static char *copies;

static struct {
    uint64_t address, value;
} words[MOST_WORDS];  // that were different; the newest first
static size_t word_count;
static uint64_t compared;

static void add_page(struct run *into, size_t *count, uint64_t page) {
    if (*count && into[*count - 1].end == page) into[*count - 1].end += PAGE;
    else if (*count == MOST_RUNS) tell("unknown memory");
    else into[(*count)++] = (struct run){.begin = page, .end = page + PAGE};
}

static size_t present_pages(const struct state *state, struct run *into) {
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/pagemap", traced);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) tell("unknown refused");
    size_t count = 0;
    struct mapping mapping;
    for (const char *text = state->maps; next_mapping(&text, &mapping);) {
        if (mapping.rights[3] != 'p') tell("unknown shared");  // others could write to it
        if (mapping.rights[1] != 'w') continue;
        if (mapping.rights[2] == 'x') tell("unknown code");
        for (uint64_t page = mapping.begin; page < mapping.end;) {
            uint64_t entries[512];
            size_t wanted = (mapping.end - page) / PAGE;
            if (wanted > 512) wanted = 512;
            if (pread(file, entries, wanted * 8, (off_t)(page / PAGE * 8)) != (ssize_t)(wanted * 8))
                tell("unknown memory");
            for (size_t i = 0; i < wanted; i++, page += PAGE)
                if (entries[i] & PRESENT) add_page(into, &count, page);
        }
    }
    close(file);
    return count;
}

void copy_memory(const struct state *state, uint64_t most_bytes) {
    run_count = present_pages(state, runs);
    uint64_t bytes = 0;
    for (size_t i = 0; i < run_count; i++) bytes += runs[i].end - runs[i].begin;
    free(copies);
    copies = bytes && bytes <= most_bytes ? malloc(bytes) : NULL;
    if (!copies) tell("unknown memory");
    char *copy = copies;
    for (size_t i = 0; i < run_count; i++) {
        runs[i].copy = copy;
        read_memory(runs[i].begin, copy, runs[i].end - runs[i].begin);
        copy += runs[i].end - runs[i].begin;
    }
    word_count = compared = 0;
}

static void note_difference(uint64_t address, uint64_t value) {
    if (word_count < MOST_WORDS) word_count++;
    memmove(words + 1, words, (word_count - 1) * sizeof *words);
    words[0].address = address, words[0].value = value;
}

static int has_known_difference(void) {
    for (size_t i = 0; i < word_count; i++) {
        uint64_t value;
        if (!try_read_memory(words[i].address, &value, sizeof value) || value != words[i].value) return 1;
    }
    return 0;
}

static int is_same_run(const struct run *run) {
    static char chunk[CHUNK];
    for (uint64_t at = run->begin; at < run->end;) {
        size_t length = run->end - at < CHUNK ? run->end - at : CHUNK;
        const char *copy = run->copy + (at - run->begin);
        if (!try_read_memory(at, chunk, length)) return 0;
        if (memcmp(chunk, copy, length) != 0)
            for (size_t i = 0; i < length; i += 8)
                if (memcmp(chunk + i, copy + i, 8) != 0) {
                    uint64_t value;
                    memcpy(&value, copy + i, 8);
                    note_difference(at + i, value);
                    return 0;
                }
        at += length;
    }
    return 1;
}

int is_same_memory(const struct state *state) {
    static struct run runs_now[MOST_RUNS];
    if (has_known_difference()) return 0;
    if (++compared > MOST_COMPARED) tell("unknown time");
    for (size_t i = 0; i < run_count; i++)
        if (!is_same_run(runs + i)) return 0;
    // of the same mappings, which the caller compares
    if (present_pages(state, runs_now) != run_count) return 0;
    for (size_t i = 0; i < run_count; i++)
        if (runs_now[i].begin != runs[i].begin || runs_now[i].end != runs[i].end) return 0;
    return 1;
}
