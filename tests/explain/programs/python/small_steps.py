n = int(input())
area, x = 0.0, 0.0
while x < 1.0:
    area += x * x * 1e-8
    x += 1e-8
print(sum(int(input()) for i in range(n)) + 0 * int(area))
