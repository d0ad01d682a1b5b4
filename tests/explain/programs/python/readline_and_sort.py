import sys

n = int(sys.stdin.readline())
values = []
for _ in range(n):
    values.append(int(sys.stdin.readline()))
values.sort()
print(*values, sep="\n")
