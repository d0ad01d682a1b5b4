/* The preload that leaves none of a program's output in a buffer.
 *
 * How it works
 *   Loaded by LD_PRELOAD, its constructor takes the buffer off stdout, and it stands in for the functions by which a
 *   program sets another one. C++'s std::cout writes through stdout, until std::ios_base::sync_with_stdio(false) gives
 *   it a buffer of its own. After that it flushes what each insertion puts there (std::ios_base::unitbuf). Reading
 * stays as it is. Programs that are started by this one run as usual: the environment loses LD_PRELOAD, and is then
 * also the one that the program expects.
 *
 * Out of reach: buffers of the program's own, such as Rust's BufWriter, and programs linked statically.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The next definition of a function that we stand in for: the C library's. */
#define REAL(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

/* The beginning of std::ios_base and one of its flags, as libstdc++ has had them since its ABI became stable. */
struct ios_base {
    const void *methods;
    ptrdiff_t precision, width;
    unsigned int flags;
};
#define UNITBUF (1U << 13)

#define SYNC_WITH_STDIO "_ZNSt8ios_base15sync_with_stdioEb"
bool sync_with_stdio(bool is_synced) __asm__(SYNC_WITH_STDIO);
extern char std_cout[] __asm__("_ZSt4cout") __attribute__((weak)); /* no other program has it */

/* The place of a virtual base in an object is the third word before its table of methods: Itanium C++ ABI, 2.5.2. */
bool sync_with_stdio(bool is_synced) {
    bool (*real)(bool) = (bool (*)(bool))dlsym(RTLD_NEXT, SYNC_WITH_STDIO);
    const bool was_synced = real(is_synced);
    const ptrdiff_t *methods = *(const ptrdiff_t **)std_cout;
    struct ios_base *base = (struct ios_base *)(std_cout + methods[-3]);

    base->flags |= UNITBUF;
    return was_synced;
}

int setvbuf(FILE *stream, char *buffer, int way, size_t size) {
    return stream == stdout ? 0 : REAL(setvbuf)(stream, buffer, way, size);
}

void setbuffer(FILE *stream, char *buffer, size_t size) {
    if (stream != stdout) REAL(setbuffer)(stream, buffer, size);
}

void setbuf(FILE *stream, char *buffer) { setbuffer(stream, buffer, BUFSIZ); }

void setlinebuf(FILE *stream) {
    if (stream != stdout) REAL(setlinebuf)(stream);
}

/* The C library may not know its environment yet; it will take this same array. */
static void leave_the_environment(char **environment) {
    char **kept = environment;

    for (; *environment; environment++)
        if (strncmp(*environment, "LD_PRELOAD=", strlen("LD_PRELOAD=")) != 0) *kept++ = *environment;
    *kept = NULL;
}

__attribute__((constructor)) static void begin(int count, char **arguments, char **environment) {
    (void)count, (void)arguments;
    leave_the_environment(environment);
    REAL(setvbuf)(stdout, NULL, _IONBF, 0);
}
