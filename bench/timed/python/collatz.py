def length(n):
    count = 1
    while n != 1: n, count = 3 * n + 1 if n % 2 else n // 2, count + 1
    return count


print(max(length(start) for start in range(1, int(input()) // 30)))
