"""Write data/secret of this package, the same on every run. Run: python3 generators/generate.py"""

from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"
CASES = {
    "01-small": (1, 1),
    "02-zero": (0, 0),
    "03-negative": (-17, -25),
    "04-mixed": (-1_000, 999),
    "05-over-32-bits": (2_147_483_647, 1),
    "06-under-32-bits": (-2_147_483_648, -1),
    "07-largest": (10**12, 10**12),
    "08-least": (-(10**12), -(10**12)),
    "09-cancel": (10**12, -(10**12)),
}


def main():
    for name, (a, b) in CASES.items():
        (SECRET / f"{name}.in").write_text(f"{a} {b}\n")
        (SECRET / f"{name}.ans").write_text(f"{a + b}\n")


if __name__ == "__main__":
    main()
