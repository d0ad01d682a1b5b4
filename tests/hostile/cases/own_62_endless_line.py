# own_62_endless_line.py: one line without an end to the interactor, which reads whole lines
# Expected: OLE/TLE/WA/RE. For our own grader's acceptance run only, never outside the sandbox.
import os
if os.getpid() > 64: print("LEAK not-in-private-pid-namespace"); raise SystemExit(3)
while True: os.write(1, b"? " + b"5" * 65534)
