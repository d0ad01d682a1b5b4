# Asks for every number in turn: more than twenty questions.
n = int(input())
for number in range(1, n + 1):
    print("?", number, flush=True)
    if input() == "=":
        break
print("!", number)
