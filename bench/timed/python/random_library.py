import random


def main(n):
    total = 0
    for i in range(n // 5):
        total += random.randrange(9)
    print(total)


main(int(input()))
