"""Exit 42 when standard input is a valid test case of this problem."""

import re
import sys

NUMBER = r"(?:0|[1-9][0-9]*)"

text = sys.stdin.read()
assert re.fullmatch(rf"[1-9][0-9]*\n{NUMBER}(?: {NUMBER})*\n", text), "two lines of integers are expected"
n, *heights = map(int, text.split())
assert n == len(heights) <= 40, "n is out of range, or not the number of heights"
assert max(heights) <= 30, "a height is out of range"
sys.exit(42)
