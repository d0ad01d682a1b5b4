input()
for letter in input():
    print(letter.upper(), flush=True)
