# buffering=0 hands every readline through to the kernel, byte by byte.
with open(0, "rb", buffering=0) as stdin:
    n = int(stdin.readline())
    print(sum(int(stdin.readline()) for _ in range(n)))
