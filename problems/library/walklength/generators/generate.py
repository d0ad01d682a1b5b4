"""Write data/secret of this package, the same on every run. Run: python3 generators/generate.py

The answers are computed with 50 significant digits and then rounded.
"""

import random
from decimal import Decimal, getcontext
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"
MOST = 10**6


def length(places):
    getcontext().prec = 50
    steps = zip(places, places[1:])
    return sum((Decimal((x - u) ** 2 + (y - v) ** 2).sqrt() for (u, v), (x, y) in steps), Decimal(0))


def write(name, places):
    lines = [str(len(places)), *(f"{x} {y}" for x, y in places)]
    (SECRET / f"{name}.in").write_text("\n".join(lines) + "\n")
    (SECRET / f"{name}.ans").write_text(f"{length(places):.12f}\n")


def main():
    rng = random.Random(20255)
    corner = (-MOST, MOST)
    write("01-one-place", [(5, -7)])
    write("02-stands-still", [(3, 3)] * 10)
    write("03-diagonal", [(i, i) for i in range(2_000)])
    write("04-there-and-back", [corner, (MOST, -MOST)] * 5_000)
    write("05-small-steps", [(i // 2, (i + 1) // 2 % 2) for i in range(20_000)])
    write("06-random", [(rng.randint(-MOST, MOST), rng.randint(-MOST, MOST)) for _ in range(20_000)])


if __name__ == "__main__":
    main()
