// own_42_plugin.cpp: loads a plugin by pragma, reads options from files, writes dependency files, prefixed paths, other includes
// Expected: CE/AC/WA. For our own grader's acceptance run only, never outside the sandbox.
#pragma GCC plugin "/program/main.cpp"
#pragma GCC optimize("-fplugin=/tmp/x.so", "-fdump-tree-all=/box/out", "wrapper /bin/sh", "@/etc/passwd", "-include /etc/passwd", "O3")
#pragma GCC pch_preprocess "/headers/bits/stdc++.h.gch"
#include <cstdio>
__attribute__((optimize("-fplugin=x", "@/etc/passwd"))) int f() { return 3; }
int main() { printf("%d\n", f()); }
