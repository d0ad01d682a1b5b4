import sys

data = list(map(int, sys.stdin.read().split()))
n, a = data[0], data[1:]
best = 0
for i in range(n):
    best = max(best, sum(a[: i + 1]))  #~ repeated-pass
print(best)
