# own_30_terminal_flood.py: its output is a terminal: floods it and ends while the terminal is full
# Expected: OLE/TLE/RE. For our own grader's acceptance run only, never outside the sandbox.
import os
if os.getpid() > 64: print("LEAK not-in-private-pid-namespace"); raise SystemExit(3)
for i in range(4):
    if os.fork() == 0: break
while True: os.write(1, b"x" * 65536)
