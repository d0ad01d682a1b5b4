from functools import cache


@cache
def rabbits(n):
    return n if n < 2 else rabbits(n - 1) + rabbits(n - 2)


n = int(input())
rabbits(90)
print(sum(all(i % j for j in range(2, i)) for i in range(2, n + 1)))
