"""Exit 42 when standard input is a valid test case of this problem, 43 with the reason when it is not."""

import re
import sys


def require(condition, fault):
    """Reject the input unless the condition holds."""
    if not condition:
        print(fault, file=sys.stderr)
        sys.exit(43)


text = sys.stdin.buffer.read().decode("ascii", "replace")
require(re.fullmatch(r"(?:0|[1-9][0-9]*)(?: (?:0|[1-9][0-9]*)){4}\n", text), "one line with five integers is expected")
n, first, a, c, m = map(int, text.split())
require(2 <= n <= 6_000_000 and 1 <= m <= 10**12 and a <= 10**6, "n, a or m is out of range")
require(first < m and c < m, "the first reading or c is out of range")
sys.exit(42)
