# input: prime 101 503 1009 5003 20011 100003 500009, 10000019
# law: isqrt(n)-1
n = int(input())
total = 0
d = 2
while d * d <= n: #@ isqrt(n)
    if n % d == 0: #@
        total += d
    d += 1 #@
print(total)
