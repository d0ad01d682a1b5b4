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
require(re.fullmatch(rf"{INTEGER} {INTEGER}\n", text), "one line with two integers is expected")
require(all(abs(int(word)) <= 10**12 for word in text.split()), "an integer is out of range")
sys.exit(42)
