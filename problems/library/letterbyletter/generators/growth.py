"""Print a test case of SIZE letters. Run: python3 generators/growth.py SIZE"""

import random
import string
import sys

n = int(sys.argv[1])
print(n)
print("".join(random.Random(n).choices(string.ascii_lowercase, k=n)))
