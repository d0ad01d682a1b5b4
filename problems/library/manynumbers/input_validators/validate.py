"""Exit 42 when standard input is a valid test case of this problem, 43 with the reason when it is not."""

import re
import sys


def require(condition, fault):
    """Reject the input unless the condition holds."""
    if not condition:
        print(fault, file=sys.stderr)
        sys.exit(43)


text = sys.stdin.buffer.read().decode("ascii", "replace")
require(re.fullmatch(r"[1-9][0-9]*\n(?:(?:0|-?[1-9][0-9]*)\n)+", text), "one integer a line is expected")
n, *numbers = map(int, text.split())
require(n == len(numbers) <= 200_000, "n is out of range, or not the number of lines")
require(all(abs(number) <= 10**12 for number in numbers), "an integer is out of range")
sys.exit(42)
