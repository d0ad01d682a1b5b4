import sys
import threading
import traceback

n, *values = map(int, sys.stdin.read().split())
total = []


def add():
    try:
        total.append(sum(values[i] for i in range(n + 1)))
    except IndexError:
        traceback.print_exc()
        total.append(sum(values))


thread = threading.Thread(target=add)
thread.start()
thread.join()
print(total[0])
