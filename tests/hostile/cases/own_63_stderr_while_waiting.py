# own_63_stderr_while_waiting.py: floods stderr while it waits for an answer to a question that it never asked
# Expected: OLE/TLE/WA/RE. For our own grader's acceptance run only, never outside the sandbox.
import os, threading
if os.getpid() > 64: print("LEAK not-in-private-pid-namespace"); raise SystemExit(3)
def flood():
    while True: os.write(2, b"x" * 65536)
for i in range(4): threading.Thread(target=flood, daemon=True).start()
input()
