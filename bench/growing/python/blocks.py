import sys

values = list(map(int, sys.stdin.buffer.read().split()))[1:]
n = len(values)
step = int(n**0.5)
starts = range(0, n, step)
result = 0
for i in range(n):
    for start in starts:
        if values[start] < values[i]:
            result += 1
print(result)
