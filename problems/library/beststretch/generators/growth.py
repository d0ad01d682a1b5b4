"""Print a test case of SIZE days with small gains and losses. Run: python3 generators/growth.py SIZE"""

import random
import sys

n = int(sys.argv[1])
rng = random.Random(n)
print(n)
print(*(rng.randint(-3, 3) for _ in range(n)))
