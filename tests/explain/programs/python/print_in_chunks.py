n = int(input())
for start in range(1, n + 1, 1000):
    print("\n".join(map(str, range(start, min(start + 1000, n + 1)))))
