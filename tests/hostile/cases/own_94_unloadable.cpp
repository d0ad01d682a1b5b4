// own_94_unloadable.cpp: a program that compiles and links, and that no address space can hold
// Expected: RE/MLE/CE. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
char large[1ul << 46];
int main(int count, char **) { large[count] = 1; puts("3"); }
