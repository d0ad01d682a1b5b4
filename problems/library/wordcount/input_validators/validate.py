"""Exit 42 when standard input is a valid test case of this problem, 43 with the reason when it is not."""

import re
import sys

LINE = re.compile(r"[a-zA-Z]{1,20}(?: [a-zA-Z]{1,20}){0,19}")


def require(condition, fault):
    """Reject the input unless the condition holds."""
    if not condition:
        print(fault, file=sys.stderr)
        sys.exit(43)


head, *lines = sys.stdin.buffer.read().decode("ascii", "replace").split("\n")
require(re.fullmatch(r"[1-9][0-9]* [1-9][0-9]*", head), "the first line must have two integers")
n, k = map(int, head.split())
require(n <= 20_000 and k <= 20, "n or k is out of range")
require(len(lines) == n + 1 and lines.pop() == "", "wrong number of lines")
require(all(LINE.fullmatch(line) for line in lines), "a line of the text is malformed")
words = " ".join(lines).lower().split()
require(len(words) <= 40_000 and len(set(words)) >= k, "too many words, or too few different ones")
sys.exit(42)
