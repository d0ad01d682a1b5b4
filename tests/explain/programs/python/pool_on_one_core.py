from concurrent.futures import ThreadPoolExecutor

n = int(input())


def is_prime(x):
    return x > 1 and all(x % d for d in range(2, int(x**0.5) + 1))


def count(part):
    return sum(is_prime(x) for x in range(part, n + 1, 3))


with ThreadPoolExecutor(3) as pool:
    print(sum(pool.map(count, range(3))))
