import sys

stream = sys.stdin.buffer
total = number = 0
first = None
while byte := stream.read(1):
    if byte == b"\n":
        if first is None:
            first = number
        else:
            total += number
        number = 0
    else:
        number = 10 * number + byte[0] - 48
print(total)
