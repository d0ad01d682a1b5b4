# own_64_find_the_other_side.py: looks for the interactor by process, signal, socket, memory, lock, descriptor and time, and for what it printed
# Expected: WA/RE/TLE. For our own grader's acceptance run only, never outside the sandbox.
import array, glob, os, signal, socket
if os.getpid() > 64: print("LEAK not-in-private-pid-namespace"); raise SystemExit(3)
err = lambda *what: os.write(2, (" ".join(map(str, what)) + "\n").encode())
pids = [int(p[6:]) for p in glob.glob("/proc/[0-9]*")]
if pids != [os.getpid()]: err("LEAK processes", pids)
for p in range(1, 3000):
    if p == os.getpid(): continue
    for s in (0, signal.SIGSTOP, signal.SIGKILL):
        try: os.kill(p, s); err("LEAK signal", s, "to", p) if p > 1 or s else None
        except OSError: pass
for p in ("/program", "/data", "/feedback", "/validator", "/box", "/tmp", "/dev/shm", "/tally"):
    for d, ds, fs in os.walk(p):
        for n in fs:
            try: text = open(os.path.join(d, n), "rb").read(1 << 20)
            except OSError: continue
            if b"OJ-CANARY" + b"-TEST-" in text or b"guess_" + b"interactor" in text: err("LEAK", os.path.join(d, n))
for name in os.listdir("/proc/self/fd"):
    try: link = os.readlink("/proc/self/fd/" + name)
    except OSError: continue
    if int(name) > 2 and not link.startswith("/proc/"): err("LEAK descriptor", name, link)
for line in open("/proc/net/unix").readlines()[1:] if os.path.exists("/proc/net/unix") else []: err("LEAK socket", line)
a, b = socket.socketpair()
try: socket.socket(fileno=os.dup(1)).sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))]); err("LEAK a descriptor over the pipe")
except OSError: pass
print("! 500", flush=True)
