# Never flushes, yet each question is heard: input() flushes standard output before it reads.
low, high = 1, int(input())
while low < high:
    middle = (low + high) // 2
    print("?", middle)
    reply = input()
    if reply == "=":
        low = high = middle
    elif reply == "<":
        high = middle - 1
    else:
        low = middle + 1
print("!", low)
