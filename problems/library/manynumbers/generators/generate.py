"""Write data/secret of this package, the same on every run. Run: python3 generators/generate.py"""

import random
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"
MOST = 10**12


def write(name, numbers):
    (SECRET / f"{name}.in").write_text("\n".join(map(str, [len(numbers), *numbers])) + "\n")
    (SECRET / f"{name}.ans").write_text(f"{sum(numbers)}\n")


def main():
    rng = random.Random(20252)
    write("01-zero", [0])
    write("02-small", [rng.randint(-9, 9) for _ in range(20)])
    write("03-over-32-bits", [2_147_483_647, 2_147_483_647, 2])
    write("04-cancel", [MOST, -MOST] * 50)
    write("05-medium", [rng.randint(-MOST, MOST) for _ in range(1_000)])
    write("06-large", [rng.randint(MOST // 10, MOST) for _ in range(200_000)])


if __name__ == "__main__":
    main()
