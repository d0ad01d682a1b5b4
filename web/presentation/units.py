"""The words of `judge.words` for pages: a number and its unit stay on one line, and what is not known is a dash."""

from datetime import datetime

from django.utils.timesince import timesince

from judge import words

NOTHING = "\u2013"  # an en dash
_SPACE = "\u00a0"
_TIMES = "\u00d7"
_HIDDEN_DIGITS = 3

counted = words.counted


def duration(microseconds: float | None) -> str:
    """A time: "0.41 ms", "12.4 ms", "0.21 s", "12.4 s"."""
    return NOTHING if microseconds is None else _on_one_line(words.duration(microseconds))


def limit(milliseconds: float) -> str:
    """A time limit without idle digits: "2 s", "1.5 s", "0.6 s", "50 ms"."""
    return _on_one_line(words.time_limit(milliseconds))


def data_size(size_bytes: float | None) -> str:
    """A size in binary units: "640 bytes", "6.9 bytes", "3.2 MiB"."""
    return NOTHING if size_bytes is None else _on_one_line(words.size(size_bytes))


def count(number: float | None) -> str:
    """A count with thousands separators: "3,000,000"."""
    return NOTHING if number is None else words.count(number)


def points(number: float | None) -> str:
    """Points with at most two decimals: "40", "37.5", "33.33"."""
    return NOTHING if number is None else words.points(number)


def percent(share: float | None) -> str:
    """A share between 0 and 1 in whole per cent, rounded down: "83 %"."""
    return NOTHING if share is None else f"{words.percent(share, 1)}{_SPACE}%"


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
    found = timesince(moment, now, depth=1)
    return "just now" if found.startswith("0") else f"{found} ago"


def _on_one_line(text: str) -> str:
    return text.replace(" ", _SPACE)
