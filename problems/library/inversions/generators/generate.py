"""Write data/secret of this package, the same on every run. Run: python3 generators/generate.py

The answers come from counting in a tree of prefix sums; short lists are also counted pair by pair.
"""

import random
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"
MOST = 10**6


def count_pairs(numbers):
    return sum(a > b for i, a in enumerate(numbers) for b in numbers[i + 1 :])


def count_with_tree(numbers):
    tree = [0] * (MOST + 1)
    inversions = 0
    for seen, number in enumerate(numbers):
        not_larger, place = 0, number
        while place:
            not_larger += tree[place]
            place &= place - 1
        inversions += seen - not_larger
        place = number
        while place <= MOST:
            tree[place] += 1
            place += place & -place
    return inversions


def write(name, numbers):
    answer = count_with_tree(numbers)
    if len(numbers) <= 1_000:
        assert answer == count_pairs(numbers)
    (SECRET / f"{name}.in").write_text(f"{len(numbers)}\n{' '.join(map(str, numbers))}\n")
    (SECRET / f"{name}.ans").write_text(f"{answer}\n")


def main():
    rng = random.Random(20254)
    write("01-one", [1])
    write("02-all-equal", [5] * 100)
    write("03-sorted", list(range(1, 501)))
    write("04-small-numbers", [rng.randint(1, 3) for _ in range(300)])
    write("05-medium", [rng.randint(1, MOST) for _ in range(1_000)])
    write("06-falling", list(range(100_000, 0, -1)))
    write("07-large", [rng.randint(1, MOST) for _ in range(100_000)])


if __name__ == "__main__":
    main()
