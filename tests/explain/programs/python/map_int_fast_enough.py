import sys

print(sum(list(map(int, sys.stdin.buffer.read().split()))[1:]))
