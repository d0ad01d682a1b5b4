# input: sorted 10 20 50 100 200 400, 5000
# law: n
n = int(input())
a = list(map(int, input().split()))
total = 0
right = 0
for left in range(n): #@
    while right < n and a[right] <= a[left] + 3: right += 1 #@ 2*n
    total += right - left
print(total)
