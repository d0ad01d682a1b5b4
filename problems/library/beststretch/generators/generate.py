"""Write data/secret of this package, the same on every run. Run: python3 generators/generate.py

The answers come from one walk over the days; those of short lists are also looked for among all stretches.
"""

import random
from itertools import accumulate
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"
MOST = 10**9


def best_of_all(gains):
    return max(max(accumulate(gains[start:])) for start in range(len(gains)))


def best(gains):
    return max(accumulate(gains, lambda yesterday, today: max(today, yesterday + today)))


def write(name, gains):
    answer = best(gains)
    if len(gains) <= 300:
        assert answer == best_of_all(gains)
    path = SECRET / name
    path.parent.mkdir(exist_ok=True)
    path.with_suffix(".in").write_text(f"{len(gains)}\n{' '.join(map(str, gains))}\n")
    path.with_suffix(".ans").write_text(f"{answer}\n")


def main():
    rng = random.Random(20259)

    def between(least, most, count):
        return [rng.randint(least, most) for _ in range(count)]

    write("1-no-losses/1-one", [7])
    write("1-no-losses/2-nothing", [0] * 50)
    write("1-no-losses/3-some", between(0, 1_000, 1_000))
    write("2-short/1-one-loss", [-MOST])
    write("2-short/2-losses-only", between(-MOST, -1, 300))
    write("2-short/3-mixed", between(-100, 100, 300))
    write("2-short/4-large-numbers", between(-MOST // 2, MOST, 300))
    write("3-long/1-mixed", between(-3, 3, 150_000))
    write("3-long/2-gains-at-both-ends", [*between(1, 9, 5_000), *[-8] * 8_000, *between(1, 9, 5_000)])
    write("3-long/3-slowly-down", [5 - day % 11 for day in range(15_000)])


if __name__ == "__main__":
    main()
