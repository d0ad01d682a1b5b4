import os


def number():
    digits = b""
    while True:
        byte = os.read(0, 1)  #~ tiny-reads
        if byte in (b"\n", b" ", b""):
            return int(digits)
        digits += byte


n = number()
print(sum(number() for _ in range(n)))
