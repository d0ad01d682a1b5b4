"""Print SIZE even prices and an odd worth: there is no such pair. Run: python3 generators/growth.py SIZE"""

import random
import sys

n = int(sys.argv[1])
rng = random.Random(n)
print(n, 1_000_001)
print(*(2 * rng.randint(1, 499_999) for _ in range(n)))
