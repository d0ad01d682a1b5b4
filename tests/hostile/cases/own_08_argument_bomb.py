# own_08_argument_bomb.py: executes itself with as many arguments as the kernel takes, for ever
# Expected: TLE/MLE/RE. For our own grader's acceptance run only, never outside the sandbox.
import os, sys
if os.getpid() > 64: print("LEAK not-in-private-pid-namespace"); sys.exit(3)
while True:
    for count in (500, 100, 20, 15):
        try: os.execv(sys.executable, [sys.executable, __file__] + ["x" * 100_000] * count)
        except OSError: pass
