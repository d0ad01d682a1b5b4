# own_70_odd_but_honest.py: honest: what the standard library offers and few submissions use, and a stack that is asked for
# Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
import asyncio, ctypes, functools, locale, mmap, os, resource, signal, socket, sqlite3, subprocess, sys, tempfile, threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
numbers = mmap.mmap(0, 0, prot=mmap.PROT_READ, flags=mmap.MAP_PRIVATE)[:].split()
assert os.preadv(0, [bytearray(3)], 0) == 3
@functools.cache
def depth(n): return 1 + depth(n - 1) if n else 0
def deep(): global reached; reached = depth(60_000)
async def talk():
    child = await asyncio.create_subprocess_exec("/bin/cat", stdin=-1, stdout=-1)
    return (await child.communicate(b"7"))[0], await asyncio.to_thread(lambda: 5)
if __name__ == "__main__":
    sys.setrecursionlimit(10**6)
    resource.setrlimit(resource.RLIMIT_STACK, 2 * (resource.RLIM_INFINITY,))  # what many recursive solutions begin with
    deep(); assert reached == 60_000
    depth.cache_clear(); threading.stack_size(100 << 20); t = threading.Thread(target=deep); t.start(); t.join()
    threading.stack_size(0)
    assert asyncio.run(talk()) == (b"7", 5)
    assert subprocess.run([sys.executable, "-c", "print(input())"], input="q\n", capture_output=True, text=True).stdout == "q\n"
    assert os.popen("echo 3").read() == "3\n" and os.system("exit 3") >> 8 == 3
    with ThreadPoolExecutor(60) as threads: assert sum(threads.map(abs, range(200))) == 19_900
    with ProcessPoolExecutor(2) as processes: assert processes.submit(abs, -2).result() == 2
    with tempfile.TemporaryDirectory() as folder: os.makedirs(folder + "/a/b")
    a, b = socket.socketpair(); a.send(b"x"); assert b.recv(1) == b"x"
    rang = []; signal.signal(signal.SIGALRM, lambda *_: rang.append(1)); signal.setitimer(signal.ITIMER_REAL, 0.01); signal.pause(); assert rang
    locale.setlocale(locale.LC_ALL, ""); sys.set_int_max_str_digits(0); assert len(str(3**20_000)) == 9_543
    assert sqlite3.connect(":memory:").execute("select 1").fetchall() == [(1,)]
    assert ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda x: x + 1)(3) == 4
    resource.setrlimit(resource.RLIMIT_AS, (1 << 32, 1 << 32)); os.nice(1); os.sched_getaffinity(0)
    os.dup2(1, 200); os.close(1); os.write(200, b"%d" % sum(map(int, numbers))); os.close(200); os._exit(0)
