total = 0
first = True
while True:
    try:
        line = input()
    except EOFError:
        break
    if first:
        first = False
        continue
    print(2 * int(line))
