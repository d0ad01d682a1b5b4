# input: reversed 10 20 50 100 200 400, 2000
# law: n*(n-1)//2
n = int(input())
a = list(map(int, input().split()))
total = 0
for i in range(1, n):
    j = i
    while j > 0 and a[j] < a[j - 1]: #@ n*(n-1)//2+n-1
        a[j], a[j - 1] = a[j - 1], a[j] #@
        j -= 1 #@
print(total)
