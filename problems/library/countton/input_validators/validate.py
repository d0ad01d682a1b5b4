"""Exit 42 when standard input is a valid test case of this problem."""

import re
import sys

text = sys.stdin.read()
assert re.fullmatch(r"[1-9][0-9]*\n", text), "one line with one integer is expected"
assert int(text) <= 4_000_000, "n is out of range"
sys.exit(42)
