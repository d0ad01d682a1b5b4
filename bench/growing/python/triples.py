import sys

values = list(map(int, sys.stdin.buffer.read().split()))[1:]
n = len(values)
result = 0
for i in range(n):
    for j in range(n):
        for k in range(n):
            result = (result + values[i] * values[j]) & 1023
print(result)
