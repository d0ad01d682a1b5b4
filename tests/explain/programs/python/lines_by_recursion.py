import sys

sys.setrecursionlimit(10**7)


def count_to(n):  #~ deep-recursion
    if n == 0:
        return []
    counted = count_to(n - 1)
    counted.append(n)
    return counted


print("\n".join(map(str, count_to(int(input())))))
