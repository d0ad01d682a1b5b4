"""Exit 42 when standard input is a valid test case of this problem."""

import re
import sys

INTEGER = r"(?:0|-?[1-9][0-9]*)"

text = sys.stdin.read()
assert re.fullmatch(rf"[1-9][0-9]*\n(?:{INTEGER} {INTEGER}\n)+", text), "a number and pairs of integers are expected"
n, *coordinates = map(int, text.split())
assert 2 * n == len(coordinates) and n <= 20_000, "n is out of range, or not the number of places"
assert all(abs(value) <= 10**6 for value in coordinates), "a coordinate is out of range"
sys.exit(42)
