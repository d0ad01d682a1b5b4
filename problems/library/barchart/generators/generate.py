"""Write data/secret of this package, the same on every run. Run: python3 generators/generate.py"""

import random
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def chart(heights):
    rows = []
    for level in range(max(heights), 0, -1):
        row = [" "] * (3 * len(heights))
        for bar, height in enumerate(heights):
            if height >= level:
                row[3 * bar : 3 * bar + 2] = "##"
        rows.append("".join(row).rstrip())
    return "\n".join([*rows, "=" * (3 * len(heights) - 1)]) + "\n"


def write(name, heights):
    (SECRET / f"{name}.in").write_text(f"{len(heights)}\n{' '.join(map(str, heights))}\n")
    (SECRET / f"{name}.ans").write_text(chart(heights))


def main():
    rng = random.Random(20257)
    write("01-one-bar", [1])
    write("02-nothing-to-see", [0] * 5)
    write("03-all-equal", [4] * 6)
    write("04-stairs-up", list(range(11)))
    write("05-stairs-down", list(range(10, -1, -1)))
    write("06-ends-empty", [0, 0, 7, 0, 0])
    write("07-largest", [30] * 40)
    write("08-random", [rng.randint(0, 30) for _ in range(40)])


if __name__ == "__main__":
    main()
