# own_51_set_user_ids.py: runs every set-user-id program there is, loads libraries into them, executes its own parents and itself under other names
# Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
import glob, os, stat, subprocess
for p in glob.glob("/usr/bin/*") + glob.glob("/usr/sbin/*") + glob.glob("/usr/lib/*/*") + glob.glob("/usr/libexec/*"):
    try: s = os.stat(p)
    except OSError: continue
    if stat.S_ISREG(s.st_mode) and s.st_mode & (stat.S_ISUID | stat.S_ISGID):
        try: subprocess.run([p, "--help"], stdin=subprocess.DEVNULL, capture_output=True, env={"LD_PRELOAD": "/tmp/x.so", "PATH": "/usr/bin"}, timeout=0.2)
        except (OSError, subprocess.TimeoutExpired): pass
for c in (["/usr/bin/su", "-c", "id -u"], ["/usr/bin/mount", "-t", "tmpfs", "x", "/tmp"], ["/usr/bin/newgrp"], ["/usr/bin/passwd", "-d", "root"]):
    try: r = subprocess.run(c, stdin=subprocess.DEVNULL, capture_output=True, timeout=0.2)
    except (OSError, subprocess.TimeoutExpired): continue
    if r.returncode == 0: print("LEAK", c, r.stdout)
for p in ("/proc/1/exe", "/proc/self/fd/3", "/tally/init"):
    try: subprocess.run(["init", "3"], executable=p, timeout=0.2); print("LEAK executed", p)
    except (OSError, subprocess.TimeoutExpired): pass
if os.geteuid() != 1000 or open("/proc/self/status").read().find("Uid:\t1000\t1000\t1000\t1000") < 0: print("LEAK user")
print(3)
