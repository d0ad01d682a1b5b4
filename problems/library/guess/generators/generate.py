"""Write data/secret of this package, the same on every run. Run: python3 generators/generate.py"""

from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"
MOST = 1_000_000


def write(name, n, number):
    (SECRET / f"{name}.in").write_text(f"{n} {number}\n")
    (SECRET / f"{name}.ans").write_text(f"{number}\n")


def main():
    write("01-only-one", 1, 1)
    write("02-two", 2, 2)
    write("03-three", 3, 1)
    write("04-thousand", 1_000, 613)
    write("05-smallest", MOST, 1)
    write("06-largest", MOST, MOST)
    write("07-middle", MOST, MOST // 2)
    write("08-anywhere", MOST, 271_828)


if __name__ == "__main__":
    main()
