# own_54_clocks.py: sets clocks, wakes the machine, asks for other time, and believes that the wall clock stopped
# Expected: AC/RE. For our own grader's acceptance run only, never outside the sandbox.
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
spec = (ctypes.c_long * 2)(0, 0)
for clock in range(12):
    if libc.clock_settime(clock, spec) == 0: print("LEAK clock", clock)
if libc.settimeofday(spec, None) == 0: print("LEAK settimeofday")
timex = (ctypes.c_char * 512)(); timex[0] = 1
if libc.adjtimex(timex) >= 0 or libc.syscall(305, 0, timex) >= 0: print("LEAK adjtimex")
for clock in (8, 9):
    if libc.timerfd_create(clock, 0) >= 0: print("LEAK a timer that wakes the machine")
for path in ("/dev/rtc", "/dev/rtc0", "/dev/hpet", "/dev/ptp0", "/proc/self/timens_offsets"):
    try: os.open(path, os.O_WRONLY); print("LEAK", path)
    except OSError: pass
if libc.unshare(0x80) == 0: print("LEAK time namespace")
print(3)
