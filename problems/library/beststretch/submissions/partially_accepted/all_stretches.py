import sys
from itertools import accumulate

n, *gains = map(int, sys.stdin.buffer.read().split())
print(max(max(accumulate(gains[start:])) for start in range(n)))
