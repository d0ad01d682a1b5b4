import sys

sys.setrecursionlimit(10**7)
values = list(map(int, sys.stdin.buffer.read().split()))[1:]


def total(begin, end):
    if end - begin == 1:
        return values[begin]
    middle = (begin + end) // 2
    return total(begin, middle) + total(middle, end)


for _ in range(40):
    result = total(0, len(values))
print(result)
