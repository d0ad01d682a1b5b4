"""Exit 42 when standard input is a valid test case of this problem."""

import re
import sys

text = sys.stdin.read()
assert re.fullmatch(r"[1-9][0-9]* [1-9][0-9]*\n", text), "one line with two integers is expected"
a, b = map(int, text.split())
assert a <= b <= 10**7, "a or b is out of range"
sys.exit(42)
