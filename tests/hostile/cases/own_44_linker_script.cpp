// own_44_linker_script.cpp: commands for the linker in section names, symbol versions and notes: other files, other scripts, the host's libraries
// Expected: CE/WA/RE/AC. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
asm(".section .drectve\n.ascii \" -T /etc/passwd -plugin=/tmp/x.so \"\n.previous");
asm(".section .deplibs,\"MS\",@llvm_dependent_libraries,1\n.asciz \"/etc/oj-canary-host\"\n.previous");
asm(".section .note.GNU-stack,\"x\",@progbits\n.previous");
asm(".section .gnu.warning.main\n.ascii \"LEAK a linker warning of its own\"\n.previous");
__attribute__((section(".interp"))) const char interpreter[] = "/proc/self/exe";
int main() { puts("3"); }
