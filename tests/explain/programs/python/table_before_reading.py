import sys

SQUARES = [i * i % 1009 for i in range(2_000_000)]
words = sys.stdin.read().split()
print(sum(map(int, words[1:])) + 0 * SQUARES[-1])
