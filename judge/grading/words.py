"""Turn numbers into words, the only place that does: "0.94 s", "3,000,000 write calls", "8 KiB"."""

import re

from judge.grading.measures import Kind
from problems.translation import gettext as _, ngettext

_UNITS = ("KiB", "MiB", "GiB")
_OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # what terminals take for a command; line breaks and tabs stay


def harmless(text: str) -> str:
    r"""A stranger's text for a terminal or a log: control characters as `\x1b`."""
    return _OBEYED.sub(lambda match: f"\\x{ord(match[0]):02x}", text.replace("\r\n", "\n"))


def duration(microseconds: float) -> str:
    """Return a time with about three digits: "0.41 ms", "12.4 ms", "0.21 s", "12.4 s"."""
    if microseconds == 0:
        return "0 ms"
    milliseconds = microseconds / 1_000
    if milliseconds < 99.5:
        return f"{milliseconds:.{2 if milliseconds < 9.995 else 1}f} ms"
    seconds = milliseconds / 1_000
    decimals = 2 if seconds < 9.995 else 1 if seconds < 99.95 else 0
    return f"{seconds:,.{decimals}f} s"


def rough_duration(microseconds: float) -> str:
    """Return a rounded time, without digits that it does not have: "50 ms", "0.12 s", "1.2 s", "12 s"."""
    if microseconds < 99_500:
        return f"{microseconds / 1_000:g} ms"
    return f"{f'{microseconds / 1_000_000:,.2f}'.rstrip('0').rstrip('.')} s"


def time_limit(milliseconds: float) -> str:
    """Return a time limit without idle digits: "2 s", "1.5 s", "0.6 s", "50 ms"."""
    return f"{milliseconds:g} ms" if milliseconds < 100 else f"{milliseconds / 1_000:g} s"


def size(number: float) -> str:
    """Return a number of bytes, whole or a mean: "1 byte", "6.9 bytes", "8 KiB", "3.2 MiB"."""
    scaled, unit = _scaled(number)
    return _in_unit(f"{scaled:,.0f}" if scaled >= 99.95 or scaled == int(scaled) else f"{scaled:.1f}", unit)


def rough_size(number: float) -> str:
    """Return a number of bytes rounded to two digits, or to whole units: "4,700 bytes", "66 KiB", "256 MiB"."""
    scaled, unit = _scaled(number)
    if scaled == int(scaled):
        digits = f"{scaled:,.0f}"
    else:
        digits = f"{scaled:.1f}" if scaled < 9.95 else f"{round(scaled, -1 if scaled >= 99.5 else 0):,.0f}"
    return _in_unit(digits, unit)


def _in_unit(digits: str, unit: str) -> str:
    if unit:
        return f"{digits} {unit}"
    return ngettext("{number} byte", "{number} bytes", 1 if digits == "1" else 2).format(number=digits)


def _scaled(number: float) -> tuple[float, str]:
    """In the unit that fits; bytes have none."""
    scaled, unit = float(number), ""
    for larger in _UNITS:
        if scaled < 1_023.5:
            break
        scaled, unit = scaled / 1_024, larger
    return scaled, unit


def count(number: float) -> str:
    """Return a count with thousands separators: "3,000,000"."""
    return f"{round(number):,}"


def of_kind(kind: Kind, number: float) -> str:
    """Return a number of a run: a time, a number of bytes or a count."""
    match kind:
        case Kind.TIME:
            return duration(number)
        case Kind.MEMORY | Kind.BYTES | Kind.SIZE:
            return size(number)
        case Kind.COUNT | Kind.SWITCHES:
            return count(number)


def counted(number: int, singular: str, plural: str = "") -> str:
    """Return a count with its noun: "1 submission", "3,000 submissions"."""
    return f"{count(number)} {singular if number == 1 else plural or singular + 's'}"


def calls(number: int, what: str) -> str:
    """Return a number of calls: "1 write call", "3,000,000 write calls"."""
    return counted(number, f"{what} call")


def points(number: float) -> str:
    """Return points with at most two decimals: "40", "37.5", "33.33"."""
    return f"{number:,.2f}".rstrip("0").rstrip(".")


def percent(part: float, whole: float) -> int:
    """Return a share in whole per cent, rounded down so that it never exceeds the measured one; 0 of nothing."""
    return int(100 * part / whole + 1e-9) if whole else 0  # 0.29 is a little less than 29 hundredths


def in_per_cent(number: float | str) -> str:
    """Return a number of per cent as the reader's language writes it: "81 %"."""
    return _("{number} %").format(number=number)


def lines(numbers: tuple[int, ...]) -> str:
    """Line numbers of a source: "line 7", "lines 7 and 12", "lines 7, 12, 15 and 4 more"."""
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    listed = numbers if len(numbers) <= 4 else numbers[:3]
    rest = f"{len(numbers) - 3} more" if len(numbers) > 4 else str(listed[-1])
    head = listed if len(numbers) > 4 else listed[:-1]
    return f"lines {', '.join(map(str, head))} and {rest}"
