"""Exit 42 when standard input is a valid test case of this problem, 43 with the reason when it is not."""

import re
import sys

NUMBER = r"(?:0|[1-9][0-9]*)"


def require(condition, fault):
    """Reject the input unless the condition holds."""
    if not condition:
        print(fault, file=sys.stderr)
        sys.exit(43)


text = sys.stdin.buffer.read().decode("ascii", "replace")
require(re.fullmatch(rf"[1-9][0-9]*\n{NUMBER}(?: {NUMBER})*\n", text), "two lines of integers are expected")
n, *heights = map(int, text.split())
require(n == len(heights) <= 40, "n is out of range, or not the number of heights")
require(max(heights) <= 30, "a height is out of range")
sys.exit(42)
