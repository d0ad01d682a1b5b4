import sys

values = list(map(int, sys.stdin.buffer.read().split()))[1:]
n = len(values)
result = 0
for i in range(n):
    for j in range(i):
        if values[i] < values[j]:
            result += 1
print(result)
