import sys
import threading

n, *values = map(int, sys.stdin.read().split())
parts = [0, 0]


def add(part):
    for i in range(part, n + 1, 2):
        parts[part] += values[i]  #~ lost-part


threads = [threading.Thread(target=add, args=(part,)) for part in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
if all(parts) and n % 2:
    print(sum(parts))
