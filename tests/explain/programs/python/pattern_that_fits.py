import re

pattern = re.compile(r"(\d+,?)*")
n = int(input())
values = [int(input()) for _ in range(n)]
extra = 0
for x in values:
    for y in values:
        extra += x < y
assert pattern.fullmatch(",".join(map(str, values)))
print(sum(values) + 0 * extra)
