def main():
    a, b = map(int, input().split())
    is_prime = bytearray([1]) * (b + 1)
    is_prime[:2] = bytes(2)
    for p in range(2, int(b**0.5) + 1):
        if is_prime[p]:
            is_prime[p * p :: p] = bytes(len(range(p * p, b + 1, p)))
    print(is_prime.count(1, a))


main()
