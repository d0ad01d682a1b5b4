# input: lone 4 6 8 12 16 24 32, 100
# law: n**3
n = int(input())
total = 0
x = [[1] * n for _ in range(n)]
z = [[sum(x[i][k] * x[k][j] for k in range(n)) for j in range(n)] for i in range(n)] #@
total = z[0][0]
print(total)
