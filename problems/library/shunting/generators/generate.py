"""Write data/secret of this package, the same on every run. Run: python3 generators/generate.py"""

import random
import string
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def write(name, wagons, sides):
    """The front half in reverse order of arrival, then the back half in order of arrival."""
    front = "".join(wagon for wagon, side in zip(wagons, sides) if side == "F")
    back = "".join(wagon for wagon, side in zip(wagons, sides) if side == "B")
    (SECRET / f"{name}.in").write_text(f"{len(wagons)}\n{wagons}\n{sides}\n")
    (SECRET / f"{name}.ans").write_text(f"{front[::-1]}{back}\n")


def main():
    rng = random.Random(20260)

    def wagons(n):
        return "".join(rng.choices(string.ascii_lowercase, k=n))

    write("01-all-back", string.ascii_lowercase, "B" * 26)
    write("02-all-front", string.ascii_lowercase, "F" * 26)
    write("03-in-turns", wagons(1_000), "FB" * 500)
    write("04-random", wagons(5_000), "".join(rng.choices("FB", k=5_000)))
    write("05-large-front", wagons(300_000), "F" * 300_000)
    write("06-mostly-front", wagons(50_000), "".join(rng.choices("FFFB", k=50_000)))


if __name__ == "__main__":
    main()
