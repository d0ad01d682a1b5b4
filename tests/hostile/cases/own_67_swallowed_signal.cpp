// own_67_swallowed_signal.cpp: blocks and handles every signal, so that a broken pipe or a full one never ends it
// Expected: TLE/WA/OLE/RE. For our own grader's acceptance run only, never outside the sandbox.
#include <csignal>
#include <cstdio>
#include <unistd.h>
int main() { for (int s = 1; s < 65; s++) signal(s, SIG_IGN); for (int i = 0;; i++) { char line[32]; int n = sprintf(line, "? %d\n", i % 1000 + 1); if (write(1, line, n) < 0) usleep(1000); } }
