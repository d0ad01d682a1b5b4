# input: lone 6 10 15 20 30 40 60, 120
# law: n*(n-1)*(n-2)//6
n = int(input())
total = 0
for i in range(n):
    for j in range(i + 1, n):
        for k in range(j + 1, n): #@
            total += i ^ j ^ k #@
print(total)
