input()
train = ""
for wagon, side in zip(input(), input()):
    train = wagon + train if side == "F" else train + wagon
print(train)
