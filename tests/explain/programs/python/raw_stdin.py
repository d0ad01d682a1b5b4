import sys

stream = sys.stdin.buffer.raw  #~? tiny-reads


def tokens():
    token = b""
    while byte := stream.read(1):  #~? tiny-reads
        if byte.isspace():
            yield token
            token = b""
        else:
            token += byte


numbers = tokens()
n = int(next(numbers))
total = 0
for _ in range(n):
    total += int(next(numbers))
print(total)
