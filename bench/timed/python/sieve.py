def main(n):
    most = n // 60
    is_composite = [False] * (most + 1)
    for _ in range(10):
        for i in range(2, most):
            for j in range(i * i, most + 1, i): is_composite[j] = True
    print(is_composite[most])


main(int(input()))
