import sys

values = list(map(int, sys.stdin.buffer.read().split()))[1:]
n = len(values)
best = [1] * n
for i in range(n):
    for j in range(i):
        if values[j] < values[i] and best[j] >= best[i]:
            best[i] = best[j] + 1
result = max(best)
print(result)
