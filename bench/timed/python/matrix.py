size = round(int(input()) ** (1 / 3))
a = [[i + j for j in range(size)] for i in range(size)]
c = [[0] * size for _ in range(size)]
for i in range(size):
    for j in range(size):
        for k in range(size): c[i][j] += a[i][k] * a[k][j]
print(c[1][2])
