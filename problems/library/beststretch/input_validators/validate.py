"""Exit 42 when standard input is a valid test case of this problem, 43 with the reason when it is not.

Arguments: --least G, no gain is below G; --most-days N, there are at most N days.
"""

import re
import sys


def require(condition, fault):
    """Reject the input unless the condition holds."""
    if not condition:
        print(fault, file=sys.stderr)
        sys.exit(43)


def given(name, default):
    """The number after the argument `name`."""
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else default


text = sys.stdin.buffer.read().decode("ascii", "replace")
number = "(?:0|-?[1-9][0-9]*)"
require(re.fullmatch(rf"[1-9][0-9]*\n{number}(?: {number})*\n", text), "two lines of integers are expected")
n, *gains = map(int, text.split())
require(n == len(gains) <= given("--most-days", 150_000), "n is out of range, or not the number of gains")
require(given("--least", -(10**9)) <= min(gains) and max(gains) <= 10**9, "a gain is out of range")
sys.exit(42)
