"""Exit 42 when standard input is a valid test case of this problem, 43 with the reason when it is not."""

import re
import sys

INTEGER = r"(?:0|-?[1-9][0-9]*)"


def require(condition, fault):
    """Reject the input unless the condition holds."""
    if not condition:
        print(fault, file=sys.stderr)
        sys.exit(43)


text = sys.stdin.buffer.read().decode("ascii", "replace")
require(re.fullmatch(rf"[1-9][0-9]*\n(?:{INTEGER} {INTEGER}\n)+", text), "a number and pairs of integers are expected")
n, *coordinates = map(int, text.split())
require(2 * n == len(coordinates) and n <= 20_000, "n is out of range, or not the number of places")
require(all(abs(value) <= 10**6 for value in coordinates), "a coordinate is out of range")
sys.exit(42)
