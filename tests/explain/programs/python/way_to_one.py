n = int(input())
longest = 0
for start in range(1, 100_000):
    x, steps = start, 0
    while x != 1:
        x = 3 * x + 1 if x % 2 else x // 2
        steps += 1
    longest = max(longest, steps)
print(sum(int(input()) for i in range(n)) + 0 * longest)
