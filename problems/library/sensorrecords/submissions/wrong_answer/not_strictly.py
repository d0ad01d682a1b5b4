n, reading, a, c, m = map(int, input().split())
largest, records, difference = reading, 1, 0
for _ in range(n - 1):
    before, reading = reading, (a * reading + c) % m
    if reading >= largest:  # equal is not larger
        largest = reading
        records += 1
    if abs(reading - before) > difference:
        difference = abs(reading - before)
print(records, difference)
