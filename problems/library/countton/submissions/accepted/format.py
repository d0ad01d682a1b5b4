import sys


def main():
    n = int(input())
    step = 5_000  # lines per portion
    for start in range(0, n, step):
        numbers = tuple(range(start, min(n, start + step)))
        sys.stdout.write("%d\n" * len(numbers) % numbers)


main()
