def is_prime(number):
    if number < 2:
        return False
    divisor = 2
    while divisor * divisor <= number:
        if number % divisor == 0:
            return False
        divisor += 1
    return True


a, b = map(int, input().split())
print(sum(map(is_prime, range(a, b + 1))))
