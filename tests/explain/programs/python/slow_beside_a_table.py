n = int(input())
steps = [0, 1]
for i in range(2, n):
    steps.append((steps[i - 1] + steps[i - 2]) % 1009)
count = 0
for i in range(2, n + 1):
    for j in range(2, i):
        if i % j == 0:
            break
    else:
        count += 1
print(count)
