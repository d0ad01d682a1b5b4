"""Write data/secret of this package, the same on every run. Run: python3 generators/generate.py

The output validator needs the text alone, so an answer file holds only the last line of the output: the full one would
have twice the size of the input. Being so, the secret answer files are no valid outputs, those of the samples are.
"""

import random
import string
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def write(name, text):
    (SECRET / f"{name}.in").write_text(f"{len(text)}\n{text}\n")
    (SECRET / f"{name}.ans").write_text(f"{text[-1].upper()}\n")


def main():
    rng = random.Random(20253)
    write("01-two-letters", "zz")
    write("02-alphabet", string.ascii_lowercase)
    write("03-one-letter-often", "e" * 1_000)
    write("04-medium", "".join(rng.choices(string.ascii_lowercase, k=20_000)))
    write("05-large", "".join(rng.choices("etaoinshrdlu", k=2_400_000)))


if __name__ == "__main__":
    main()
