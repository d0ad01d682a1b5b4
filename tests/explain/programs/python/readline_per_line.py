import sys

n = int(sys.stdin.readline())
count = 0
for _ in range(n):
    if sys.stdin.readline():  #~ line-by-line
        count += 1
print(count)
