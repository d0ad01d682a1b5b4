# input: sorted 10 20 50 100 200 400, 2000
# law: n*(n+1)//2
n = int(input())
a = list(map(int, input().split()))
total = 0
for i in range(n):
    for j in range(n): #@
        if a[j] == a[i]: #@
            break
        total += 1 #@ n*(n-1)//2
print(total)
