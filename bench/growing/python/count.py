import sys

values = list(map(int, sys.stdin.buffer.read().split()))[1:]
n = len(values)
counts = [0] * 1000
for x in values:
    counts[x % 1000] += 1
result = max(counts)
print(result)
