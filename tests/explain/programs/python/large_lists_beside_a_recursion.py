import sys


def greatest_divisor(a, b):
    return greatest_divisor(b, a % b) if b else a


values = list(map(int, sys.stdin.buffer.read().split()))[1:]
tables = [[x + i for x in values] for i in range(4)]
assert greatest_divisor(tables[1][0], tables[2][0]) == 1
print(sum(tables[0]))
