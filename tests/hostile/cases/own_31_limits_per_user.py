# own_31_limits_per_user.py: run twice at the same time: what one takes of its user's pipe pages, watches and descriptors in flight, the other must not miss
# Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
import array, fcntl, os, select, socket, time
pages, kept, flight = [], [], 0
def pipe_size():
    r, w = os.pipe(); kept.append((r, w)); return fcntl.fcntl(w, 1032)
def send_many(n):
    a, b = socket.socketpair(); a.setblocking(False); done = 0
    kept.append((a, b)); payload = array.array("i", [a.fileno()] * 200)
    try:
        while done < n: a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, payload)]); done += 200
    except OSError as e: return done, e.errno
    return done, 0
end = time.monotonic() + 1.5
while time.monotonic() < end:
    size = pipe_size()
    if size < 65536: print("LEAK a fresh pipe has", size, "bytes"); break
    done, error = send_many(200)
    if error == 109: print("LEAK too many descriptors in flight after", done); break
    for r, w in (p for p in kept if isinstance(p[0], int)): os.close(r); os.close(w)
    kept = []
    time.sleep(0.01)
    if os.getpid() % 1 == 0 and time.monotonic() % 0.4 < 0.2:  # now and then take all there is
        hold = []
        try:
            for _ in range(100):
                r, w = os.pipe(); hold.append((r, w))
                try: fcntl.fcntl(w, 1031, 1 << 20)
                except OSError: pass
        except OSError: pass
        time.sleep(0.1)
        for r, w in hold: os.close(r); os.close(w)
print(3)
