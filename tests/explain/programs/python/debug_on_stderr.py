import sys

n, *numbers = sys.stdin.read().split()
total = 0
for x in numbers:
    print(x, file=sys.stderr)  #~ unbuffered-stderr
    total += int(x)
print(total)
