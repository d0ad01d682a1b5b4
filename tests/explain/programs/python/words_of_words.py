import re

n = int(input())
total = sum(int(input()) for _ in range(n))
line = "a" * 60 + "!"
if re.fullmatch(r"(\w+\s?)*", line):  #~ backtracking
    total += 1
print(total)
