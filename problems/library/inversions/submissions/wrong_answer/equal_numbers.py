import sys
from bisect import bisect_left


def count(numbers):
    if len(numbers) <= 1:
        return numbers, 0
    middle = len(numbers) // 2
    left, in_left = count(numbers[:middle])
    right, in_right = count(numbers[middle:])
    across = sum(len(left) - bisect_left(left, number) for number in right)  # counts equal numbers too
    return sorted(left + right), in_left + in_right + across


sys.stdin.readline()
print(count(list(map(int, sys.stdin.readline().split())))[1])
