# own_50_write_to_proc.py: opens everything below /proc, /sys and /dev for writing, and reads what is not its own
# Expected: AC/RE. For our own grader's acceptance run only, never outside the sandbox.
import os
own = {"null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "fd", "shm"}
for d, ds, fs in os.walk("/proc"):
    ds[:] = [n for n in ds if n not in ("task", "cwd", "root", "map_files", "fd")]
    for n in fs:
        p = os.path.join(d, n)
        try: os.close(os.open(p, os.O_WRONLY | os.O_NONBLOCK)); print("LEAK", p, "can be written")
        except OSError: pass
    if d.count("/") > 3: ds[:] = []
for p in ("/proc/1/status", "/proc/1/environ", "/proc/1/root", "/proc/1/fd", "/proc/2", "/proc/4", "/proc/kcore", "/proc/kallsyms", "/proc/sys", "/proc/net", "/proc/self/net/tcp", "/proc/loadavg", "/proc/stat", "/proc/uptime", "/proc/interrupts", "/proc/keys", "/proc/key-users", "/proc/sysvipc", "/proc/mounts", "/proc/timer_list", "/proc/self/task/1", "/sys", "/sys/fs/cgroup", "/run", "/var"):
    try:
        found = os.listdir(p) if os.path.isdir(p) else open(p, "rb").read(200)
        if found and p not in ("/proc/mounts", "/proc/self/net/tcp", "/proc/net"): print("LEAK", p, found[:3])
    except OSError: pass
for n in os.listdir("/dev"):
    if n not in own: print("LEAK /dev/" + n)
print(3)
