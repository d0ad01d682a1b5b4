# input: values 10 20 50 100 200 400, 2000
# law: n*(n-1)//2
n = int(input())
a = list(map(int, input().split()))
total = 0
buckets = [[] for _ in range(64)]
for i in range(n):
    key = 64 * i
    for other in buckets[key % 64]: #@
        total += other == key #@
    buckets[key % 64].append(key)
print(total)
