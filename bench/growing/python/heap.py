import sys

values = list(map(int, sys.stdin.buffer.read().split()))[1:]
n = len(values)
import heapq

heap = []
for x in values:
    heapq.heappush(heap, x)
result = 0
while heap:
    result = (result * 31 + heapq.heappop(heap)) % 1_000_007
print(result)
