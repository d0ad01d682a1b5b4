"""As touches.c, in Python: heap, threads, child, memfd."""

import os
import sys
import threading

kind, size = sys.argv[1], int(sys.argv[2]) << 20
if kind == "heap":
    held = bytearray(b"x") * size
if kind == "threads":
    pieces: list[bytearray] = []
    threads = [threading.Thread(target=lambda: pieces.append(bytearray(b"x") * (size // 4))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
if kind == "child":
    if os.fork() == 0:
        held = bytearray(b"x") * size
        os._exit(0)
    os.wait()
if kind == "memfd":
    file = os.memfd_create("touched")
    for _ in range(size >> 20):
        os.write(file, bytes(1 << 20))
