# own_82_times_of_input.py: leaves the time at which it read its input on it, for the next test, or tries to write any other mark there
# Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
import fcntl, os, time
before = os.fstat(0)
fcntl.fcntl(0, fcntl.F_SETFL, 0)
for name in ("/dev/stdin", "/proc/self/fd/0", "/dev/fd/0"):
    again = os.open(name, os.O_RDONLY)
    os.read(again, 100), os.pread(again, 100, 0)
    for change in (lambda: os.utime(name), lambda: os.utime(again), lambda: os.chmod(again, 0o666), lambda: os.truncate(name, 4), lambda: os.open(name, os.O_RDWR)):
        try: change(); print("LEAK changed", name)
        except OSError: pass
time.sleep(0.05)
after = os.fstat(0)
if after.st_atime_ns != before.st_atime_ns: print("LEAK time of access", before.st_atime_ns, after.st_atime_ns)
if after.st_mtime_ns != before.st_mtime_ns or after.st_mode != before.st_mode: print("LEAK other marks")
print(3)
