import sys

values = list(map(int, sys.stdin.buffer.read().split()))[1:]
n = len(values)
result = 0
while values:
    x = values.pop(0)
    for y in values:
        result ^= y - x
print(result)
