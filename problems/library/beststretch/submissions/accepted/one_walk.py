import sys

n, *gains = map(int, sys.stdin.buffer.read().split())
best = ending_today = gains[0]
for gain in gains[1:]:
    ending_today = max(gain, ending_today + gain)
    best = max(best, ending_today)
print(best)
