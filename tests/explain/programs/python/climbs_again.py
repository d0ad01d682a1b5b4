import sys

sys.setrecursionlimit(10**6)
numbers = list(map(int, sys.stdin.read().split()))


def height(i):
    return 1 if i == 0 else height(i - 1) + 1  #~ deep-recursion


print(sum(height(i) - height(i) + numbers[i + 1] for i in range(numbers[0])))
