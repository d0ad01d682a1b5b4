import sys

values = list(map(int, sys.stdin.buffer.read().split()))[1:]
n = len(values)
for i in range(n):
    for j in range(n - 1):
        if values[j] > values[j + 1]:
            values[j], values[j + 1] = values[j + 1], values[j]
result = values[0]
print(result)
