from concurrent.futures import ThreadPoolExecutor

THREADS = 4


def is_prime(number):
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def count(numbers):
    return sum(map(is_prime, numbers))


a, b = map(int, input().split())
with ThreadPoolExecutor(THREADS) as pool:
    print(sum(pool.map(count, [range(a + t, b + 1, THREADS) for t in range(THREADS)])))
