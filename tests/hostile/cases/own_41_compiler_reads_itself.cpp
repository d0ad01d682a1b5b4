// own_41_compiler_reads_itself.cpp: includes what the compiler writes: its messages, its memory, its program, its descriptors
// Expected: CE. For our own grader's acceptance run only, never outside the sandbox.
#include "/proc/self/fd/2"
#include "/dev/stderr"
#include "/proc/self/mem"
#include "/proc/self/maps"
#include "/proc/self/exe"
#include "/proc/self/fd/3"
#include "/proc/self/task/2/comm"
int main() {}
