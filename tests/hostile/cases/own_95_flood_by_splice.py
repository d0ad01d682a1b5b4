# own_95_flood_by_splice.py: one line without an end to the interactor, by a call that is in no books of what a program wrote
# Expected: OLE/TLE/WA/RE. For our own grader's acceptance run only, never outside the sandbox.
import os
if os.getpid() > 64: print("LEAK not-in-private-pid-namespace"); raise SystemExit(3)
with open("line", "wb") as file: file.write(b"?" * 65_536)
line = os.open("line", os.O_RDONLY)
while True: os.splice(line, 1, 65_536, 0)
