import sys

print(sum(map(int, sys.stdin.read().split())))  # the first number is n, not part of the sum
