n, reading, a, c, m = map(int, input().split())
readings = []
for _ in range(n):
    readings.append(reading)
    reading = (a * reading + c) % m
records, largest = 0, -1
for reading in readings:
    if reading > largest:
        largest = reading
        records += 1
print(records, max(abs(right - left) for left, right in zip(readings, readings[1:])))
