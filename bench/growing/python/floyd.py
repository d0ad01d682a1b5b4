import sys

values = list(map(int, sys.stdin.buffer.read().split()))[1:]
n = len(values)
distance = [[values[i] + values[j] for j in range(n)] for i in range(n)]
for k in range(n):
    for i in range(n):
        for j in range(n):
            if distance[i][k] + distance[k][j] < distance[i][j]:
                distance[i][j] = distance[i][k] + distance[k][j]
result = distance[0][0]
print(result)
