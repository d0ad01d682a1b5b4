size = int(int(input()) ** 0.5)
one, other = "abcde" * (size // 5), "badce" * (size // 5)
row = list(range(len(other) + 1))
for i, letter in enumerate(one, 1):
    last, row[0] = row[0], i
    for j, second in enumerate(other, 1): last, row[j] = row[j], last if letter == second else 1 + min(last, row[j], row[j - 1])
print(row[-1])
