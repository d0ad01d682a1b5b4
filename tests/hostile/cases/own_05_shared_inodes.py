# own_05_shared_inodes.py: run twice at the same time: record locks, leases, watches and times of files that both copies see
# Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
import ctypes, fcntl, os, struct, time
libc = ctypes.CDLL(None, use_errno=True)
lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)
files = [open(p, "r+b", buffering=0) for p in ("/dev/null", "/dev/zero", "/dev/full", "/dev/urandom")]
files += [open(p, "rb") for p in ("/usr/bin/env", "/etc/ld.so.cache")]
for f in files:
    for c in (fcntl.F_SETLK, fcntl.F_GETLK, 36, 37):
        try: fcntl.fcntl(f, c, lock); print("LEAK record lock", f.name, c)
        except OSError: pass
    for c, a in ((1024, fcntl.F_RDLCK), (1026, 1 << 31 | 2)):
        try: fcntl.fcntl(f, c, a); print("LEAK lease or notice", f.name, c)
        except (OSError, OverflowError): pass
for number in (253, 294):
    if libc.syscall(number, 0) >= 0: print("LEAK inotify")
time.sleep(0.3)
print(3)
