import sys

n, *a = map(int, sys.stdin.read().split())
for i in range(n):
    for j in range(n - 1 - i):
        if a[j] > a[j + 1]:
            a[j], a[j + 1] = a[j + 1], a[j]
print("\n".join(map(str, a)))
