"""Print SIZE integers in falling order: each pair is an inversion. Run: python3 generators/growth.py SIZE"""

import sys

n = int(sys.argv[1])
print(n)
print(*range(999_999, 999_999 - n, -1))
