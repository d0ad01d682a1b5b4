# the flushes are there and cost nothing: some hundred of them between long computations
n = int(input())
for i in range(1, n + 1):
    x = i
    for _ in range(30_000):
        x = (x * 1103515245 + 12345) % 2147483648
    print(i, flush=True)
