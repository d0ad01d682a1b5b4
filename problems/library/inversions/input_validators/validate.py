"""Exit 42 when standard input is a valid test case of this problem."""

import re
import sys

text = sys.stdin.read()
assert re.fullmatch(r"[1-9][0-9]*\n[1-9][0-9]*(?: [1-9][0-9]*)*\n", text), "two lines of integers are expected"
n, *numbers = map(int, text.split())
assert n == len(numbers) <= 100_000, "n is out of range, or not the number of integers"
assert max(numbers) <= 10**6, "an integer is out of range"
sys.exit(42)
