"""Write data/secret of this package, the same on every run. Run: python3 generators/generate.py"""

from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"
CASES = {"01-one": 1, "02-ninety": 90, "03-hundred-and-two": 102, "04-two-thousand": 2_000, "05-largest": 5_000}


def main():
    for name, n in CASES.items():
        (SECRET / f"{name}.in").write_text(f"{n}\n")
        (SECRET / f"{name}.ans").write_text("".join(f"{i * i}\n" for i in range(1, n + 1)))


if __name__ == "__main__":
    main()
