// own_45_interpreter.cpp: a program whose interpreter is itself, or nothing: the kernel runs what the ELF header names
// Expected: RE/CE/WA/AC. For our own grader's acceptance run only, never outside the sandbox.
extern "C" const char interpreter[] __attribute__((section(".interp"))) = "/program/main";
int main() { return 3; }
