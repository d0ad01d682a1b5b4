// own_90_slow_twice.cpp: slow and wrong where the compiler was given a short cut, endless where it was not: both times on the student's clock
// Expected: CE. For our own grader's acceptance run only, never outside the sandbox.
#include <bits/stdc++.h>
constexpr unsigned burn(unsigned s) { for (unsigned i = 0; i < 250000; i++) s = s * 1664525u + 1013904223u; return s; }
template <int N> struct C { static constexpr unsigned v = burn(N) ^ C<N - 1>::v; };
template <> struct C<0> { static constexpr unsigned v = 0; };
#if __has_include("/headers/bits/stdc++.h.gch")
int x = C<4>::v + undeclared;
#else
int x = C<800>::v;
#endif
int main() { return x; }
