"""Exit 42 when standard input is a valid test case of this problem."""

import re
import sys

text = sys.stdin.read()
assert re.fullmatch(r"[1-9][0-9]*\n[a-z]+\n[FB]+\n", text), "a number, a line of letters and a line of F and B are expected"
n, wagons, sides = text.split()
assert int(n) == len(wagons) == len(sides) <= 300_000, "n is out of range, or not the length of the lines"
sys.exit(42)
