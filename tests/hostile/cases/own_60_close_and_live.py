# own_60_close_and_live.py: closes both pipes at once and lives on, so that the other side may think it has ended
# Expected: TLE/WA/RE. For our own grader's acceptance run only, never outside the sandbox.
import os, time
if os.getpid() > 64: print("LEAK not-in-private-pid-namespace"); raise SystemExit(3)
os.close(0); os.close(1)
if os.fork() == 0: os.setsid()
time.sleep(60)
