import sys

sys.set_int_max_str_digits(0)
n = int(input())
values = [int(input()) for _ in range(n)]
product = 1
for x in values:
    product *= x
print(sum(values) + 0 * len(str(product)))
