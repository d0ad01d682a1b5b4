"""Exit 42 when standard input is a valid test case of this problem, 43 with the reason when it is not."""

import re
import sys


def require(condition, fault):
    """Reject the input unless the condition holds."""
    if not condition:
        print(fault, file=sys.stderr)
        sys.exit(43)


text = sys.stdin.buffer.read().decode("ascii", "replace")
require(
    re.fullmatch(r"[1-9][0-9]*\n[a-z]+\n[FB]+\n", text),
    "a number, a line of letters and a line of F and B are expected",
)
n, wagons, sides = text.split()
require(int(n) == len(wagons) == len(sides) <= 300_000, "n is out of range, or not the length of the lines")
sys.exit(42)
