import sys

values = list(map(int, sys.stdin.buffer.read().split()))[1:]
n = len(values)
result = sum(x % 7 for x in values)
print(result)
