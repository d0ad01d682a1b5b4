# input: lone 8 10 12 14 16 18 20, 25
# law: about 2*fibonacci(n+1)-1
n = int(input())
total = 0
def fibonacci(k):
    if k < 2: #@
        return k
    return fibonacci(k - 1) + fibonacci(k - 2)
total = fibonacci(n)
print(total)
