# own_17_state_in_the_kernel.py: leaves notes for its next test in ports, counters, queues, keys, names and limits
# Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def counters():
    try: return sum(int(w) for line in open("/proc/self/net/snmp") if line.startswith(("Ip:", "Udp:")) for w in line.split()[3:] if w.isdigit())
    except OSError: return 0
before = counters()
if before: print("LEAK network counters stand at", before)
try:
    s = socket.socket(); s.bind(("", 4321)); s.listen(); c = socket.create_connection(("127.0.0.1", 4321)); s.accept()[0].close()
except OSError as e:
    if e.errno == 98: print("LEAK port is taken")
for i in range(50):
    try: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9))
    except OSError: pass
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
try: s.bind("\0oj-note")
except OSError: print("LEAK abstract name is taken")
if libc.sethostname(b"note", 4) == 0 or libc.setdomainname(b"note", 4) == 0: print("LEAK host name")
for number in (29, 64, 68, 240):
    if libc.syscall(number, 77, 1, 0o1600) >= 0: print("LEAK queue", number)
if os.path.exists("/box/note") or os.path.exists("/tmp/note") or os.path.exists("/dev/shm/note"): print("LEAK file")
for place in ("/box", "/tmp", "/dev/shm"): open(place + "/note", "w").close()
print(3)
