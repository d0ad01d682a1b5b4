# own_80_names_of_the_host.py: asks everything that may know what the host calls itself and its folders: mounts, descriptors, maps, domain
# Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
import ctypes, os, select
for name in ("mountinfo", "mounts", "mountstats"):
    for p in (f"/proc/self/{name}", f"/proc/self/task/{os.getpid()}/{name}", f"/proc/thread-self/{name}"):
        if not os.path.exists(p): continue
        told = open(p).read()
        if told: print("LEAK", p, told[:400])
for n in (0, 1, 2):
    path = os.readlink(f"/proc/self/fd/{n}").removesuffix(" (deleted)")
    if path.count("/") > 2 and not path.startswith("/dev/"): print("LEAK descriptor", n, "is", path)
    if any(word in path for word in ("secret", "sample", "store", "/var/", "/work")): print("LEAK descriptor", n, "is", path)
for name in ("maps", "numa_maps", "smaps", "environ", "cmdline", "cgroup", "cpuset", "auxv"):
    if b"/var/" in (told := open(f"/proc/self/{name}", "rb").read()): print("LEAK", name, told[:400])
names = ctypes.create_string_buffer(65 * 6)
ctypes.CDLL(None).uname(names)
if names.raw[65:130].rstrip(b"\0") != b"tally" or names.raw[325:].rstrip(b"\0") != b"(none)": print("LEAK names of the machine", names.raw[65:130], names.raw[325:])
where = select.poll()
where.register(os.open("/proc/self/mounts", os.O_RDONLY), select.POLLPRI | select.POLLERR)
if where.poll(300) and where.poll(300): print("LEAK somebody mounts")
print(3)
