values = []
while True:
    try:
        values.append(int(input()))
    except EOFError:
        break
total = 0
for x in values[1:]:
    for y in values[1:]:
        if x < y:
            total += 1
print(sum(values[1:]) + 0 * total)
