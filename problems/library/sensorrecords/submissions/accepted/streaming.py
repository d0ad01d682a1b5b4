def main():
    n, reading, a, c, m = map(int, input().split())
    largest, records, difference = reading, 1, 0
    for _ in range(n - 1):
        before = reading
        reading = (a * reading + c) % m
        if reading > largest:
            largest = reading
            records += 1
        change = reading - before
        if change > difference:
            difference = change
        elif -change > difference:
            difference = -change
    print(records, difference)


main()
