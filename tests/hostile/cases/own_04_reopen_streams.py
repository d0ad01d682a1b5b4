# own_04_reopen_streams.py: opens its input for writing by every name, changes its mode, its owner, its times, its length
# Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
import os
for name in ("/dev/stdin", "/proc/self/fd/0", "/dev/fd/0", "/proc/thread-self/fd/0"):
    for flags in (os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_TRUNC, os.O_WRONLY | os.O_APPEND):
        try: os.close(os.open(name, flags)); print("LEAK opened", name, flags)
        except OSError: pass
for what, how in (("chmod", lambda: os.fchmod(0, 0o666)), ("chown", lambda: os.fchown(0, 1000, 1000)), ("utime", lambda: os.utime(0)), ("truncate", lambda: os.ftruncate(0, 0)), ("write", lambda: os.write(0, b"9")), ("link", lambda: os.link("/proc/self/fd/0", "in", follow_symlinks=True)), ("utime null", lambda: os.utime("/dev/null")), ("chmod out", lambda: os.fchmod(1, 0o777)), ("chown out", lambda: os.fchown(1, 1000, 1000)), ("link out", lambda: os.link("/proc/self/fd/1", "out", follow_symlinks=True))):
    try: how(); print("LEAK", what)
    except OSError: pass
open("/dev/stdout", "w").write("3\n")
