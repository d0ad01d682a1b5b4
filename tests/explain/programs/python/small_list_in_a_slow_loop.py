n = int(input())
known = [2, 3, 5]
count = 0
for i in range(2, n + 1):
    if i in known:
        count += 1
        continue
    for j in range(2, i):
        if i % j == 0:
            break
    else:
        count += 1
print(count)
