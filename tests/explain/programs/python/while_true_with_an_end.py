n = int(input())
count = 0
i = 2
while True:
    if i > n:
        break
    if all(i % j for j in range(2, i)):
        count += 1
    i += 1
print(count)
