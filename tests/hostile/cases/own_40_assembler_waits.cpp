// own_40_assembler_waits.cpp: has the assembler read its own input, which is a pipe from the compiler, once more
// Expected: CE/WA. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
asm(".include \"/dev/stdin\"");
asm(".incbin \"/proc/self/fd/0\"");
int main() { puts("4"); }
