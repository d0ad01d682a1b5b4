# own_31_limits_per_user.py: run twice at the same time: what one takes of its user's pipe pages and descriptors in flight, the other must not miss
# Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
import array, fcntl, os, socket, time
def take():
    held = []
    try:
        for _ in range(100):
            held += os.pipe()
            try: fcntl.fcntl(held[-1], 1031, 1 << 20)
            except OSError: pass
    except OSError: pass
    return held
def fly():
    a, b = socket.socketpair(); a.setblocking(False)
    try:
        while True: a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 200))])
    except OSError: return a, b
end = time.monotonic() + 1.6
while time.monotonic() < end:
    until = time.monotonic() + 0.15
    if os.urandom(1)[0] < 128:
        held, sockets = take(), fly(); time.sleep(0.15)
        for f in held: os.close(f)
        for s in sockets: s.close()
        continue
    while time.monotonic() < until:
        r, w = os.pipe(); size = fcntl.fcntl(w, 1032); os.close(r); os.close(w)
        if size < 65536: print("LEAK a fresh pipe has", size, "bytes"); raise SystemExit
        a, b = socket.socketpair()
        try: a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))])
        except OSError as e: print("LEAK a first descriptor cannot be sent:", e); raise SystemExit
        a.close(); b.close(); time.sleep(0.02)
print(3)
