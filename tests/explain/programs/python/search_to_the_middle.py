n = int(input())
a = sorted(int(input()) for i in range(n))
total = 0
for wanted in a:
    first, last = 0, n
    while first <= last:
        half = first + (last - first) // 2
        if half < n and a[half] < wanted:
            first = half + 1
        else:
            last = half  #~ may-never-end
    total += a[first]
print(total)
