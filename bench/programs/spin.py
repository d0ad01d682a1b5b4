"""About half a second of interpreting."""

total = 0
for i in range(6_000_000):
    total += i & 3
print(total)
