import sys

values = list(map(int, sys.stdin.buffer.read().split()[1:]))
rows = []
for x in values:
    rows.append([x, 0, 0, 0])
print(sum(row[0] for row in rows))
