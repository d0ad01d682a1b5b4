"""Exit 42 when standard input is a valid test case of this problem."""

import re
import sys

text = sys.stdin.read()
assert re.fullmatch(r"[1-9][0-9]* [1-9][0-9]*\n[1-9][0-9]*(?: [1-9][0-9]*)*\n", text), "two lines of integers are expected"
n, target, *prices = map(int, text.split())
assert 2 <= n == len(prices) <= 100_000, "n is out of range, or not the number of prices"
assert 2 <= target <= 2 * 10**9, "the voucher is out of range"
assert max(prices) <= 10**9, "a price is out of range"
sys.exit(42)
