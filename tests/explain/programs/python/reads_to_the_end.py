values = []
while True:
    try:
        values.append(int(input()))
    except EOFError:
        break
values.pop(0)
total = 0
for x in values:
    for y in values:
        if x < y:
            total += 1
print(sum(values) + 0 * total)
