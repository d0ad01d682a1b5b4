# input: pair 5 10 20 40 60 100 150, 800
# law: n*m
n, m = map(int, input().split())
total = 0
best = [0] * (m + 1)
for i in range(n):
    for j in range(m, 0, -1): #@
        best[j] = max(best[j], best[j - 1] + i % 3) #@
total = best[m]
print(total)
