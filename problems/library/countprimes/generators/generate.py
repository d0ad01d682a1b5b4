"""Write data/secret of this package, the same on every run. Run: python3 generators/generate.py"""

from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"
MOST = 10**7
CASES = {
    "01-one": (1, 1),
    "02-two": (2, 2),
    "03-square": (49, 49),
    "04-small": (2, 100),
    "05-medium": (1_000, 20_000),
    "06-end": (MOST - 1_000, MOST),
    "07-all": (1, MOST),
}


def main():
    is_prime = bytearray([0, 0]) + bytearray([1]) * (MOST - 1)
    for p in range(2, int(MOST**0.5) + 1):
        if is_prime[p]:
            is_prime[p * p :: p] = bytes(len(range(p * p, MOST + 1, p)))
    for name, (a, b) in CASES.items():
        (SECRET / f"{name}.in").write_text(f"{a} {b}\n")
        (SECRET / f"{name}.ans").write_text(f"{sum(is_prime[a : b + 1])}\n")


if __name__ == "__main__":
    main()
