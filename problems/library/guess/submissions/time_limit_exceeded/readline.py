from sys import stdin

# print() does not flush, and unlike input() readline() does not either.
low, high = 1, int(stdin.readline())
while low < high:
    middle = (low + high) // 2
    print("?", middle)
    reply = stdin.readline().strip()
    if reply == "=":
        low = high = middle
    elif reply == "<":
        high = middle - 1
    else:
        low = middle + 1
print("!", low)
