def is_prime(n):
    d = 2
    while d * d <= n and n % d: d += 1
    return d * d > n


print(sum(is_prime(n) for n in range(2, int(input()) // 40)))
