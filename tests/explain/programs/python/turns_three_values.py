import sys

numbers = list(map(int, sys.stdin.read().split()))
turn = [0, 1, 2]
total = 0
for value in numbers[1:]:
    for _ in range(1_000):
        first = turn.pop(0)
        turn.append(first)
    total += value
print(total)
