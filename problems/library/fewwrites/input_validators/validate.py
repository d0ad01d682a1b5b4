"""Exit 42 when standard input is a valid test case of this problem, 43 with the reason when it is not."""

import re
import sys


def require(condition, fault):
    """Reject the input unless the condition holds."""
    if not condition:
        print(fault, file=sys.stderr)
        sys.exit(43)


text = sys.stdin.buffer.read().decode("ascii", "replace")
require(re.fullmatch(r"[1-9][0-9]{0,3}\n", text), "one line with one integer is expected")
require(int(text) <= 5_000, "n is out of range")
sys.exit(42)
