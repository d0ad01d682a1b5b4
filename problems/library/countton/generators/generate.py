"""Write data/secret of this package, the same on every run. Run: python3 generators/generate.py

The output validator needs n alone, so an answer file holds only the last line of the output: the full one would
have 31 MB. Being so, the secret answer files are no valid outputs, those of the samples are.
"""

from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"
CASES = {"01-two": 2, "02-ten": 10, "03-thousand": 1_001, "04-medium": 123_456, "05-large": 4_000_000}


def main():
    for name, n in CASES.items():
        (SECRET / f"{name}.in").write_text(f"{n}\n")
        (SECRET / f"{name}.ans").write_text(f"{n - 1}\n")


if __name__ == "__main__":
    main()
