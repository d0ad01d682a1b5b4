import sys

numbers = list(map(int, sys.stdin.read().split()))
tables = []
for value in numbers[1:]:
    tables.append([value] * 100_000)  #~ memory-limit
print(sum(table[0] for table in tables))
