# input: lone 3 4 5 6 8 10 12, 15
# law: n*2**n
n = int(input())
total = 0
for mask in range(1 << n):
    for bit in range(n): #@
        total += mask >> bit & 1 #@
print(total)
