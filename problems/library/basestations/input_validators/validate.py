"""Exit 42 when standard input is a valid test case of this problem."""

import re
import sys

NUMBERS = r"(?:0|[1-9][0-9]*)(?: (?:0|[1-9][0-9]*))*"


def main():
    text = sys.stdin.read()
    assert re.fullmatch(rf"{NUMBERS}\n{NUMBERS}\n{NUMBERS}\n", text), "three lines of integers are expected"
    head, stations, reaches = ([int(word) for word in line.split(" ")] for line in text.splitlines())
    n, m, q = head
    assert 1 <= n <= 10**9 and 1 <= m <= 30_000 and m <= n and 1 <= q <= 100, "first line out of range"
    assert len(stations) == m and len(reaches) == q, "wrong number of integers"
    assert 1 <= stations[0] and stations[-1] <= n, "a station stands outside the street"
    assert all(a < b for a, b in zip(stations, stations[1:])), "stations are not in increasing order"
    assert all(w <= 10**9 for w in reaches), "a reach is out of range"


main()
sys.exit(42)
