import os
import sys


def progress(values):
    for value in values:
        print(value, flush=True)
        print(value, file=sys.stderr)
        os.write(1, b".")


n = int(input())
count = 0
for i in range(2, n + 1):
    if sum(1 for d in range(1, i + 1) if i % d == 0) == 2:
        count += 1
print(count)
sys.stdout.flush()
