# input: lone 100 200 400 800 1600 3200 6400 12800, 100000
# law: about sum(n//i for i in range(1,n+1))
n = int(input())
total = 0
for i in range(1, n + 1):
    for k in range(i, n + 1, i): #@
        total += k #@
print(total)
