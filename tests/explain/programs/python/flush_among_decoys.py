"""Flushes: print(i, flush=True)."""
import sys


def unused(values):
    for value in values:
        print(value, flush=True)


n = int(input())
sys.stdout.flush()
i = 0
while i < n:
    i += 1
    # print(i, flush=True) was here
    print(i)  #~? flush-per-line
    sys.stdout.flush()  #~ flush-per-line
sys.stdout.flush()
