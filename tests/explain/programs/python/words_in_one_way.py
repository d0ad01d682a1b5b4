import re

n = int(input())
values = [int(input()) for _ in range(n)]
line = "a" * 60 + "!"
extra = 0
for x in values:
    for y in values:
        extra += x < y
if re.fullmatch(r"\w+(?:\s\w+)*", line):
    extra += 1
print(sum(values) + 0 * extra)
