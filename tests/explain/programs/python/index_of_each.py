import sys

values = list(map(int, sys.stdin.read().split()[1:]))
total = 0
for x in values:
    if values.index(x) >= 0:  #~ costly-container
        total += x
print(total)
