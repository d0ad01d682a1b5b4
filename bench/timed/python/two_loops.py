def burn(count):
    x = 1
    for i in range(count): x = x * 5 + i * 3 + x * 7 + 11 & 0xFFFF
    return x


def cool(count):
    x = 1
    for i in range(count): x = x * 5 + i * 3 + x * 7 + 13 & 0xFFFF
    return x


n = int(input())
print(burn(n * 2 // 3) + cool(n // 3))
