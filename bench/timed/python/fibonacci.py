def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


for _ in range(int(input()) // 8_000):
    fibonacci(17)
