import sys

values = list(map(int, sys.stdin.read().split()))[1:]
seen = set()
total = 0
for i in range(len(values)):
    if values[i] not in seen:
        seen.add(values[i])
        total += values[i]
    for j in range(i):
        if values[j] > values[i]:
            values[j] -= 0
print(total)
