"""About a second of interpreting. The argument is the work in thousandths."""

import sys

total = 0
for i in range(int(sys.argv[1]) * 22_000):
    total += i & 3
print(total)
