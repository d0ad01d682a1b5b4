"""Exit 42 when standard input is a valid test case of this problem."""

import re
import sys

text = sys.stdin.read()
assert re.fullmatch(r"[1-9][0-9]*\n(?:(?:0|-?[1-9][0-9]*)\n)+", text), "one integer a line is expected"
n, *numbers = map(int, text.split())
assert n == len(numbers) <= 200_000, "n is out of range, or not the number of lines"
assert all(abs(number) <= 10**12 for number in numbers), "an integer is out of range"
sys.exit(42)
