"""Write data/secret of this package, the same on every run. Run: python3 generators/generate.py"""

from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"
CASES = {  # n, first reading, a, c, m
    "01-all-equal": (10, 5, 1, 0, 6),
    "02-only-zero": (3, 0, 0, 0, 1),
    "03-rising": (1_000, 0, 1, 7, 1_000_000),
    "04-falling": (1_000, 999_999, 1, 999_993, 1_000_000),
    "05-alternating": (500, 1, 3, 0, 4),
    "06-medium": (100_000, 123_456_789, 16_807, 0, 2_147_483_647),
    "07-large": (6_000_000, 271_828_182_845, 999_983, 314_159_265_359, 999_999_999_989),
    "08-large-rising": (6_000_000, 1, 1, 166_001, 10**12),
}


def readings(n, reading, a, c, m):
    for _ in range(n):
        yield reading
        reading = (a * reading + c) % m


def main():
    for name, case in CASES.items():
        values = list(readings(*case))
        records, largest = 0, -1
        for value in values:
            records += value > largest
            largest = max(largest, value)
        difference = max(abs(right - left) for left, right in zip(values, values[1:]))
        (SECRET / f"{name}.in").write_text(" ".join(map(str, case)) + "\n")
        (SECRET / f"{name}.ans").write_text(f"{records} {difference}\n")


if __name__ == "__main__":
    main()
