def next_of(x):
    return x // 2 if x % 2 == 0 else 3 * x + 1


n = int(input())
steps = 0
for i in range(2, n):
    x = i
    while x != 1:
        x = next_of(x)
        steps += 1
print(steps % 2)
