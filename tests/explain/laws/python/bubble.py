# input: reversed 10 20 50 100 200 400, 1500
# law: n*(n-1)
n = int(input())
a = list(map(int, input().split()))
total = 0
swapped = True
while swapped:
    swapped = False
    for j in range(n - 1): #@
        if a[j] > a[j + 1]: #@
            a[j], a[j + 1] = a[j + 1], a[j]
            swapped = True
print(total)
