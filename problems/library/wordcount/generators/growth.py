"""Print a test case of SIZE words, most of them different. Run: python3 generators/growth.py SIZE"""

import random
import string
import sys

n = int(sys.argv[1])
rng = random.Random(n)
words = ["".join(rng.choices(string.ascii_lowercase, k=rng.randint(4, 5))) for _ in range(n)]
lines = [" ".join(words[i : i + 2]) for i in range(0, n, 2)]
print(len(lines), 1)
print("\n".join(lines))
