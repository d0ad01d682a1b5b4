n = int(input())
seen = []
for _ in range(n):
    x = int(input())
    if x not in seen:  #~ costly-container
        seen.append(x)
        seen.sort()  #~? costly-container repeated-pass
print(sum(seen))
