// Starts, says one line, ends: what is measured is everything around it.
#include <cstdio>
int main() { std::puts("3"); }
