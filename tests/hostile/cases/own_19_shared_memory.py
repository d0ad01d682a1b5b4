# own_19_shared_memory.py: honest: a pool of processes, locks and shared memory from the standard library
# Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
import multiprocessing, os, tempfile
def work(x): return x + 1
if __name__ == "__main__":
    a, b = map(int, input().split())
    with multiprocessing.Pool(2) as pool: total = sum(pool.map(work, [a, b])) - 2
    shared = multiprocessing.Value("i", 0)
    with shared.get_lock(): shared.value = total
    with tempfile.NamedTemporaryFile("w+") as f: f.write(str(shared.value)); f.seek(0); print(f.read())
