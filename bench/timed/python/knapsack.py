def main(n):
    room = 2_000
    best = [0] * (room + 1)
    for item in range(n // room):
        weight, value = 1 + item * 7 % 50, 1 + item * 13 % 100
        for have in range(room, weight - 1, -1):
            best[have] = max(best[have], best[have - weight] + value)
    print(best[room])


main(int(input()))
