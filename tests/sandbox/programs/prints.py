"""Flushed prints, a thread and a child, in Python."""

import os
import sys
import threading

total = sum(int(line) for line in sys.stdin)
for number in range(300):
    print(number, total, flush=True)
thread = threading.Thread(target=lambda: [print("from the thread", flush=True) for _ in range(20)])
thread.start()
thread.join()
if os.fork() == 0:
    for number in range(100):
        print("from the child", number, flush=True)
    sys.exit()
os.wait()
print("the end", file=sys.stderr)
