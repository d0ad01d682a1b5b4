"""Print SIZE people, each the parent of the next one. Run: python3 generators/growth.py SIZE"""

import sys

n = int(sys.argv[1])
print(n)
print(*range(1, n))
