"""Print the range from 1 to SIZE. Run: python3 generators/growth.py SIZE"""

import sys

print(1, int(sys.argv[1]))
