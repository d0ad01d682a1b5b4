"""Write data/secret of this package, the same on every run. Run: python3 generators/generate.py

A family is made in birth order, which gives every generation at once; then all but the founder get a new number.
"""

import random
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def write(name, parent_of, rng):
    """`parent_of[i]` is the parent of person i + 1, both counted from 0 in birth order, so that it is at most i."""
    generations = [1]
    for parent in parent_of:
        generations.append(generations[parent] + 1)
    n = len(generations)
    number = [1, *range(2, n + 1)]
    if rng:
        number[1:] = rng.sample(number[1:], n - 1)
    parents = {number[child]: number[parent] for child, parent in enumerate(parent_of, 1)}
    line = " ".join(str(parents[person]) for person in range(2, n + 1))
    (SECRET / f"{name}.in").write_text(f"{n}\n{line}\n")
    (SECRET / f"{name}.ans").write_text(f"{max(generations)}\n")


def main():
    rng = random.Random(20259)
    write("01-two", [0], None)
    write("02-star", [0] * 999, rng)
    write("03-short-line", list(range(99)), rng)
    write("04-random", [rng.randint(0, i) for i in range(19_999)], rng)
    write("05-late-branches", [rng.randint(max(0, i - 5), i) for i in range(19_999)], rng)
    write("06-only-children", list(range(99_999)), None)
    write("07-only-children-shuffled", list(range(99_999)), rng)


if __name__ == "__main__":
    main()
