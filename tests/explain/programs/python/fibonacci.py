def rabbits(n):
    return n if n < 2 else rabbits(n - 1) + rabbits(n - 2)  #~ branching-recursion


n = int(input())
rabbits(n)
for i in range(1, n + 1):
    print(i)
