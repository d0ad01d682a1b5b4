import sys

numbers = list(map(int, sys.stdin.read().split()))
n = numbers[0]
total = 0
for i in range(1, n + 1):
    for j in range(1, n + 1):
        pair = [numbers[i], numbers[j]]
        total += sum(pair)
print(total // (2 * n))
