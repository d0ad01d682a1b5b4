n = int(input())
memo = {}


def rabbits(i):
    if i < 2:
        return i
    if i not in memo:
        memo[i] = rabbits(i - 1) + rabbits(i - 2)
    return memo[i]


rabbits(90)
count = 0
for i in range(2, n + 1):
    for j in range(2, i):
        if i % j == 0:
            break
    else:
        count += 1
print(count)
