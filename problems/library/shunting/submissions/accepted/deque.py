from collections import deque

input()
train = deque()
for wagon, side in zip(input(), input()):
    if side == "F":
        train.appendleft(wagon)
    else:
        train.append(wagon)
print("".join(train))
