// What both preloads that note places in a program need: where its file lies in memory, and a table that outlives it.
//
// The table is a file in the working folder, mapped and shared: it is there after any end. Programs that are started by
// this one are not traced: the environment loses LD_PRELOAD, and is then also the one that the program expects.
#pragma once

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uintptr_t base, text_start, text_end;  // of the program's file in memory

// The program itself comes first.
static int find_program(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        if (!text_end) text_start = base + part->p_vaddr;
        text_end = base + part->p_vaddr + part->p_memsz;
    }
    return 1;
}

static void *make_table(const char *name, size_t size) {
    const int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return NULL;
    void *made = ftruncate(fd, size) < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return made == MAP_FAILED ? NULL : made;
}

// The C library may not know its environment yet; it will take this same array.
static void leave_the_environment(char **environment) {
    char **left = environment;
    for (; *environment; environment++)
        if (strncmp(*environment, "LD_PRELOAD=", strlen("LD_PRELOAD=")) != 0) *left++ = *environment;
    *left = NULL;
}
