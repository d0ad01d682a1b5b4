import sys

values = list(map(int, sys.stdin.buffer.read().split()))[1:]
n = len(values)
result = total = 0
for i in range(n):
    total += values[i]
    if i >= 100:
        total -= values[i - 100]
    result = max(result, total)
print(result)
