total = 0
values = []
while True:  #~ failed-read
    try:
        values.append(int(input()))
    except EOFError:
        pass
    if values and values[-1] == 0:
        break
print(sum(values[1:]))
