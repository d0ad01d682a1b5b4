# input: values 10 20 50 100 200 400 1000, 20000
# law: n*(n.bit_length()-1)
n = int(input())
a = list(map(int, input().split()))
total = 0
for i in range(n):
    k = n
    while k > 1: #@ n*n.bit_length()
        total += k #@
        k //= 2 #@
print(total)
