"""Write data/secret of this package, the same on every run. Run: python3 generators/generate.py"""

import random
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def count_by_walking(flats, stations, reach):
    """Walk to the first flat that is not served, build as far to its right as will do, walk on: for short streets."""
    served = bytearray(flats + 1)
    for station in stations:
        low, high = max(1, station - reach), min(flats, station + reach)
        served[low : high + 1] = b"\1" * (high - low + 1)
    missing, flat = 0, 1
    while flat <= flats:
        missing += not served[flat]
        flat += 1 if served[flat] else 2 * reach + 1
    return missing


def count_by_gaps(flats, stations, reach):
    """Sum the rounded-up divisions of the gaps, with an imagined station beyond either end."""
    ends = [-reach, *stations, flats + 1 + reach]
    gaps = (right - left - 1 - 2 * reach for left, right in zip(ends, ends[1:]))
    return sum((gap + 2 * reach) // (2 * reach + 1) for gap in gaps if gap > 0)


def write(name, flats, stations, reaches):
    """Write one test case; on a short street both ways of counting must agree."""
    answers = [count_by_gaps(flats, stations, reach) for reach in reaches]
    if flats <= 100_000:
        assert answers == [count_by_walking(flats, stations, reach) for reach in reaches]
    head = f"{flats} {len(stations)} {len(reaches)}"
    lines = [head, " ".join(map(str, stations)), " ".join(map(str, reaches))]
    (SECRET / f"{name}.in").write_text("\n".join(lines) + "\n")
    (SECRET / f"{name}.ans").write_text("".join(f"{answer}\n" for answer in answers))


def main():
    rng = random.Random(20251)
    write("01-one-flat", 1, [1], [0, 1, 10**9])
    write("02-one-station", 10**9, [1], [0, 1, 499_999_999, 500_000_000, 10**9])
    write("03-every-flat", 40, list(range(1, 41)), [0, 1, 2])
    write("04-small", 60, sorted(rng.sample(range(1, 61), 7)), list(range(12)))
    write("05-medium", 90_000, sorted(rng.sample(range(1, 90_001), 400)), list(range(0, 300, 7)))
    write("06-clusters", 10**9, sorted({c * 10**6 + k for c in range(1, 100) for k in range(50)}), [0, 7, 10**4, 10**8])
    write(
        "07-wide", 10**9, sorted(rng.sample(range(1, 10**9 + 1), 2_000)), [rng.randint(0, 400_000) for _ in range(100)]
    )
    # Three million gaps each. Long reaches keep the counts short: a count printed at every gap stays below 16 MiB.
    stations = sorted(rng.sample(range(1, 10**9 + 1), 30_000))
    write("08-large", 10**9, stations, [rng.randint(45_000, 90_000) for _ in range(100)])
    write("09-large", 10**9, stations, list(range(60_000, 160_000, 1_000)))


if __name__ == "__main__":
    main()
