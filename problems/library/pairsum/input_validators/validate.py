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
    re.fullmatch(r"[1-9][0-9]* [1-9][0-9]*\n[1-9][0-9]*(?: [1-9][0-9]*)*\n", text), "two lines of integers are expected"
)
n, target, *prices = map(int, text.split())
require(2 <= n == len(prices) <= 100_000, "n is out of range, or not the number of prices")
require(2 <= target <= 2 * 10**9, "the voucher is out of range")
require(max(prices) <= 10**9, "a price is out of range")
sys.exit(42)
