def main(n):
    values = [i * 7919 % 10007 for i in range(int(n**0.5))]
    for i in range(len(values)):
        for j in range(len(values) - i - 1):
            values[j], values[j + 1] = min(values[j], values[j + 1]), max(values[j], values[j + 1])
    print(values[5])


main(int(input()))
