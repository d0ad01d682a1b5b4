"""Exit 42 when standard input is a valid test case of this problem."""

import re
import sys

INTEGER = r"(?:0|-?[1-9][0-9]*)"

text = sys.stdin.read()
assert re.fullmatch(rf"{INTEGER} {INTEGER}\n", text), "one line with two integers is expected"
assert all(abs(int(word)) <= 10**12 for word in text.split()), "an integer is out of range"
sys.exit(42)
