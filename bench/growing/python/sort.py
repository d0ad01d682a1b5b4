import sys

values = list(map(int, sys.stdin.buffer.read().split()))[1:]
n = len(values)
values.sort()
result = sum(values[::100])
print(result)
