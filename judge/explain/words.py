"""Numbers as people read them: "0.94 s", "3,000,000", "8.0 KiB", "78 %"."""

_UNITS = ("KiB", "MiB", "GiB")


def seconds(microseconds: int) -> str:
    """A time: in seconds from a tenth of one up, else in milliseconds."""
    if microseconds >= 100_000:
        return f"{microseconds / 1_000_000:.2f} s"
    return f"{microseconds / 1_000:.1f} ms"


def limit_seconds(milliseconds: int) -> str:
    """A time limit, without zeros that nobody wrote: "1 s", "2.5 s"."""
    return f"{milliseconds / 1_000:g} s"


def size(count: float) -> str:
    """A number of bytes, whole or a mean."""
    if count < 1_024:
        number = f"{count:.1f}".removesuffix(".0")
        return f"{number} byte" if number == "1" else f"{number} bytes"
    power = 1 + (count >= 1_024**2) + (count >= 1_024**3)
    scaled = count / 1_024**power
    decimals = 0 if scaled >= 10 and scaled == int(scaled) else 1
    return f"{scaled:.{decimals}f} {_UNITS[power - 1]}"


def calls(count: int, what: str) -> str:
    """A number of calls: "1 write call", "3,000,000 write calls"."""
    return f"{count:,} {what} call" if count == 1 else f"{count:,} {what} calls"


def number(value: float) -> str:
    """A number of points, with at most two decimals: "40", "37.5", "33.33"."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def percent(part: float, whole: float) -> int:
    """A share in whole per cent, rounded down so that it never says more than was measured; 0 of nothing."""
    return int(100 * part / whole) if whole else 0


def lines(numbers: tuple[int, ...]) -> str:
    """Line numbers of a source: "line 7", "lines 7 and 12", "lines 7, 12, 15 and 4 more"."""
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    shown = numbers if len(numbers) <= 4 else numbers[:3]
    rest = f"{len(numbers) - 3} more" if len(numbers) > 4 else str(shown[-1])
    head = shown if len(numbers) > 4 else shown[:-1]
    return f"lines {', '.join(map(str, head))} and {rest}"
