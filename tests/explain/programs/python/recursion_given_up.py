import sys

n, *values = map(int, sys.stdin.read().split())


def add(i):
    return values[i] + add(i + 1) if i < n else 0


try:
    print(add(0))
except RecursionError:
    print(sum(values))
