import sys

sys.setrecursionlimit(10**7)


def depth(i):
    return 1 + depth(i - 1) if i else 0


n = int(input())
assert depth(20_000) == 20_000
count = 0
for i in range(2, n + 1):
    j = 2
    while j < i and i % j:
        j += 1
    count += j == i
print(count)
