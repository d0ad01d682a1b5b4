"""Exit 42 when standard input is a valid test case of this problem."""

import re
import sys

text = sys.stdin.read()
assert re.fullmatch(r"(?:0|[1-9][0-9]*)(?: (?:0|[1-9][0-9]*)){4}\n", text), "one line with five integers is expected"
n, first, a, c, m = map(int, text.split())
assert 2 <= n <= 6_000_000 and 1 <= m <= 10**12 and a <= 10**6, "n, a or m is out of range"
assert first < m and c < m, "the first reading or c is out of range"
sys.exit(42)
