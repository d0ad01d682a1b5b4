import sys

values = list(map(int, sys.stdin.buffer.read().split()))[1:]
n = len(values)
step = int(n**0.5)
result = 0
for x in values:
    for j in range(step):
        result = (result + x * j) % 1009
print(result)
