# Reads a reply to its last line: there is none, so input() raises EOFError.
low, high = 1, int(input())
while low < high:
    middle = (low + high) // 2
    print("?", middle, flush=True)
    reply = input()
    if reply == "=":
        low = high = middle
    elif reply == "<":
        high = middle - 1
    else:
        low = middle + 1
print("!", low, flush=True)
print(input())
