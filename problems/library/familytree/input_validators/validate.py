"""Exit 42 when standard input is a valid test case of this problem."""

import re
import sys

text = sys.stdin.read()
assert re.fullmatch(r"[1-9][0-9]*\n(?:[1-9][0-9]*(?: [1-9][0-9]*)*)?\n", text), "two lines of integers are expected"
n, *parents = map(int, text.split())
assert n <= 100_000 and len(parents) == n - 1, "n is out of range, or not the number of people"
assert all(parent <= n for parent in parents), "a parent does not exist"
children = {}
for child, parent in enumerate(parents, 2):
    children.setdefault(parent, []).append(child)
family = [1]
for person in family:
    family += children.get(person, [])
assert len(family) == n, "somebody does not descend from person 1"
sys.exit(42)
