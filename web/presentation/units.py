"""The one place where units become words: "0.21 s", "3.2 MiB", "3,000,000", "4.7x". Numbers in, text out."""

from datetime import datetime

from django.utils.timesince import timesince

NOTHING = "\u2013"  # an en dash
_SPACE = "\u00a0"  # a number and its unit stay on one line
_TIMES = "\u00d7"
_HIDDEN_DIGITS = 3


def duration(microseconds: float | None) -> str:
    """A time with three significant digits: "0.41 ms", "12.4 ms", "0.21 s", "12.4 s"."""
    if microseconds is None:
        return NOTHING
    milliseconds = microseconds / 1_000
    if milliseconds < 99.5:
        decimals = 2 if milliseconds < 9.995 else 1
        return "0" + _SPACE + "ms" if microseconds == 0 else f"{milliseconds:.{decimals}f}{_SPACE}ms"
    seconds = milliseconds / 1_000
    decimals = 2 if seconds < 9.995 else 1 if seconds < 99.95 else 0
    return f"{seconds:,.{decimals}f}{_SPACE}s"


def data_size(size_bytes: float | None) -> str:
    """A size in binary units: "640 B", "6.9 B", "3.2 MiB"."""
    if size_bytes is None:
        return NOTHING
    size = float(size_bytes)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1_023.5 or unit == "GiB":
            break
        size /= 1_024
    whole = size >= 99.95 or size == int(size)
    return f"{size:,.0f}{_SPACE}{unit}" if whole else f"{size:.1f}{_SPACE}{unit}"


def count(number: float | None) -> str:
    """A count with thousands separators: "3,000,000"."""
    return NOTHING if number is None else f"{round(number):,}"


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """A count with its noun: "1 write call", "3,000,000 write calls"."""
    return f"{count(number)} {singular if number == 1 else plural or singular + 's'}"


def points(number: float | None) -> str:
    """Points with at most two decimals: "40", "37.5", "33.33"."""
    return NOTHING if number is None else f"{number:,.2f}".rstrip("0").rstrip(".")


def percent(share: float | None) -> str:
    """A share between 0 and 1 in per cent: "83 %"."""
    return NOTHING if share is None else f"{share * 100:.0f}{_SPACE}%"


def factor(larger: float, smaller: float) -> str:
    """How many times one is the other, two significant digits: "4.7x", "38x", "4,700x". `smaller` must not be 0."""
    times = larger / smaller
    return f"{times:.1f}{_TIMES}" if times < 9.95 else f"{significant(times, 2):,}{_TIMES}"


def significant(number: float, digits: int = _HIDDEN_DIGITS) -> int:
    """A whole number rounded to so many significant digits: what contestants see of a hidden test's counts."""
    whole = round(abs(number))
    surplus = max(0, len(str(whole)) - digits)
    return round(whole, -surplus)


def ago(moment: datetime, now: datetime | None = None) -> str:
    """How long ago something was, in its largest unit: "5 minutes ago"."""
    words = timesince(moment, now, depth=1)
    return "just now" if words.startswith("0") else f"{words} ago"


def limit(milliseconds: float) -> str:
    """A limit without idle digits: "2 s", "1.5 s", "0.6 s", "50 ms"."""
    if milliseconds < 100:
        return f"{milliseconds:g}{_SPACE}ms"
    return f"{milliseconds / 1_000:g}{_SPACE}s"
