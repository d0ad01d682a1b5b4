import os


def read_line():
    line = b""
    while True:
        byte = os.read(0, 1)
        if byte in (b"", b"\n"):
            return line
        line += byte


n = int(read_line())
print(sum(int(read_line()) for _ in range(n)))
