// exit_06_divide_by_zero.cpp: integer division by zero
// Expected: RE. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
int main() { volatile int a = 7, z = 0; printf("%d\n", a / z); }
