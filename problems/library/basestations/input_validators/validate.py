"""Exit 42 when standard input is a valid test case of this problem, 43 with the reason when it is not."""

import re
import sys

NUMBERS = r"(?:0|[1-9][0-9]*)(?: (?:0|[1-9][0-9]*))*"


def require(condition, fault):
    """Reject the input unless the condition holds."""
    if not condition:
        print(fault, file=sys.stderr)
        sys.exit(43)


def main():
    text = sys.stdin.buffer.read().decode("ascii", "replace")
    require(re.fullmatch(rf"{NUMBERS}\n{NUMBERS}\n{NUMBERS}\n", text), "three lines of integers are expected")
    head, stations, reaches = ([int(word) for word in line.split(" ")] for line in text.splitlines())
    n, m, q = head
    require(1 <= n <= 10**9 and 1 <= m <= 30_000 and m <= n and 1 <= q <= 100, "first line out of range")
    require(len(stations) == m and len(reaches) == q, "wrong number of integers")
    require(1 <= stations[0] and stations[-1] <= n, "a station stands outside the street")
    require(all(a < b for a, b in zip(stations, stations[1:])), "stations are not in increasing order")
    require(all(w <= 10**9 for w in reaches), "a reach is out of range")


main()
sys.exit(42)
