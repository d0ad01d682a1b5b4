"""Exit 42 when standard input is a valid test case of this problem, 43 with the reason when it is not."""

import re
import sys


def require(condition, fault):
    """Reject the input unless the condition holds."""
    if not condition:
        print(fault, file=sys.stderr)
        sys.exit(43)


text = sys.stdin.buffer.read().decode("ascii", "replace")
require(re.fullmatch(r"[1-9][0-9]*\n[a-z]+\n", text), "an integer and a line of lower-case letters are expected")
n, letters = text.split()
require(int(n) == len(letters) <= 2_400_000, "n is out of range, or not the number of letters")
sys.exit(42)
