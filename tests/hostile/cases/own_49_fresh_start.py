# own_49_fresh_start.py: looks for anything that a run before it could have left: numbers, masks, limits, names, descriptors, environment
# Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
import os, resource, signal, sys
def expect(what, is_so):
    if not is_so: print("LEAK not fresh:", what)
expect("pid", os.getpid() == 3 and os.getppid() == 1 and os.getsid(0) == 3 and os.getpgid(0) == 3)
expect("umask", os.umask(0o22) == 0o22)
expect("descriptors", sorted(map(int, os.listdir("/proc/self/fd")))[:4] == [0, 1, 2, 3])
expect("environment", dict(os.environ) == {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/tmp", "TMPDIR": "/tmp"})
status = dict(line.split(":\t") for line in open("/proc/self/status") if ":\t" in line)
expect("signals", not int(status["SigBlk"], 16) | int(status["SigPnd"], 16) | int(status["ShdPnd"], 16) and int(status["SigIgn"], 16) & ~0x1001000 == 0)
expect("capabilities", not any(int(status[k], 16) for k in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")) and status["NoNewPrivs"].strip() == "1")
expect("name of the machine", os.uname().nodename == "tally")
expect("folders", not os.listdir("/box") and not os.listdir("/tmp") and not os.listdir("/dev/shm"))
expect("priority", os.getpriority(os.PRIO_PROCESS, 0) == 0 and os.sched_getscheduler(0) == 0)
expect("core limit", resource.getrlimit(resource.RLIMIT_CORE)[1] <= 1)
expect("timer", signal.getitimer(signal.ITIMER_REAL) == (0, 0))
os.umask(0o777); os.nice(19); signal.setitimer(signal.ITIMER_REAL, 100); os.chdir("/"); os.environ["X"] = "1"
for s in range(1, 65):
    try: signal.signal(s, signal.SIG_IGN)
    except (OSError, ValueError): pass
print(3)
