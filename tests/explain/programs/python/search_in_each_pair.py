n = int(input())
a = sorted(int(input()) for i in range(n))
total = 0
for x in a:
    for y in a:
        low, high = 0, n
        while low < high:
            middle = (low + high) // 2
            if a[middle] < x + y:
                low = middle + 1
            else:
                high = middle
        total += low
print(sum(a) + 0 * total)
