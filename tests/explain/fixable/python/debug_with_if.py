import sys

DEBUG = True
numbers = list(map(int, sys.stdin.read().split()))
total = 0
for place, x in enumerate(numbers[1:]):
    total += x
    if DEBUG:
        print(f"{place}: {x} -> {total}", file=sys.stderr)
        sys.stderr.flush()
print(total)
