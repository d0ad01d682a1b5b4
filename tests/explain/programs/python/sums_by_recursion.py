import sys


def total(i):  #~ deep-recursion
    return values[i] + total(i + 1) if i < len(values) else 0


sys.setrecursionlimit(10**7)
values = list(map(int, sys.stdin.buffer.read().split()))[1:]
print(total(0))
