# input: values 10 20 50 100 200 400 800, 3000
# law: n*(n-1)//2
n = int(input())
a = list(map(int, input().split()))
total = 0
for i in range(n):
    for j in range(i + 1, n): #@
        total += a[i] > a[j] #@
print(total)
