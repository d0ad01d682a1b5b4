"""Exit 42 when standard input is a valid test case of this problem."""

import re
import sys

text = sys.stdin.read()
assert re.fullmatch(r"[1-9][0-9]*\n[a-z]+\n", text), "an integer and a line of lower-case letters are expected"
n, letters = text.split()
assert int(n) == len(letters) <= 2_400_000, "n is out of range, or not the number of letters"
sys.exit(42)
