n = int(input())
seen = []
for _ in range(n):
    x = int(input())
    if x not in seen:
        seen.append(x)
print(sum(seen))
