"""Exit 42 when standard input is a valid test case of this problem, 43 with the reason when it is not."""

import re
import sys


def require(condition, fault):
    """Reject the input unless the condition holds."""
    if not condition:
        print(fault, file=sys.stderr)
        sys.exit(43)


text = sys.stdin.buffer.read().decode("ascii", "replace")
require(re.fullmatch(r"[1-9][0-9]*\n(?:[1-9][0-9]*(?: [1-9][0-9]*)*)?\n", text), "two lines of integers are expected")
n, *parents = map(int, text.split())
require(n <= 100_000 and len(parents) == n - 1, "n is out of range, or not the number of people")
require(all(parent <= n for parent in parents), "a parent does not exist")
children = {}
for child, parent in enumerate(parents, 2):
    children.setdefault(parent, []).append(child)
family = [1]
for person in family:
    family += children.get(person, [])
require(len(family) == n, "somebody does not descend from person 1")
sys.exit(42)
