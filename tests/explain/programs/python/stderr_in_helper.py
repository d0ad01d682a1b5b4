import sys

DEBUG = True


def debug(text):
    if DEBUG:
        sys.stderr.write(text + "\n")  #~ unbuffered-stderr


numbers = [int(line) for line in sys.stdin.readlines()[1:]]
total = 0
for x in numbers:
    debug(f"adding {x}")  #~? unbuffered-stderr
    total += x
print(total)
