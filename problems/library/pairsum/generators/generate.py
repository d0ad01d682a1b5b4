"""Write data/secret of this package, the same on every run. Run: python3 generators/generate.py"""

import random
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"
MOST = 10**9


def find_pair(prices, target):
    """Sort and close in from both ends; the places (from 1) of a pair, or None."""
    order = sorted(range(len(prices)), key=prices.__getitem__)
    low, high = 0, len(prices) - 1
    while low < high:
        total = prices[order[low]] + prices[order[high]]
        if total == target:
            return order[low] + 1, order[high] + 1
        low, high = (low + 1, high) if total < target else (low, high - 1)
    return None


def write(name, prices, target):
    pair = find_pair(prices, target)
    (SECRET / f"{name}.in").write_text(f"{len(prices)} {target}\n{' '.join(map(str, prices))}\n")
    (SECRET / f"{name}.ans").write_text(f"{pair[0]} {pair[1]}\n" if pair else "impossible\n")


def main():
    rng = random.Random(20256)
    write("01-two-equal", [5, 5], 10)
    write("02-only-half", [1, 5, 2, 4], 10)  # one article of half the worth is no pair
    write("03-largest", [MOST, 1, MOST], 2 * MOST)
    write("04-many-pairs", list(range(1, 1_001)), 1_000)
    write("05-medium", [rng.randint(1, 10_000) for _ in range(1_000)], 17_500)
    # Even prices never add up to an odd worth: a pair needs the one odd price at the end.
    evens = [2 * rng.randint(1, 499_999) for _ in range(100_000)]
    write("06-large-none", evens, 1_000_001)
    write("07-large-last-two", [*evens[:-2], 777_777, 222_224], 1_000_001)


if __name__ == "__main__":
    main()
