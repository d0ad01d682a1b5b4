"""The words of `judge.grading.words` for pages: a number and its unit stay on one line; an unknown one is a dash.

Of numbers that `web.access.rounding` made they say no more than those tell.
"""

from collections.abc import Callable
from datetime import UTC, datetime

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.timezone import get_current_timezone_name, localtime
from django.utils.translation import gettext as _

from judge.grading import words
from judge.grading.measures import Kind
from web.access.rounding import Rounded, Under, significant
from web.identity.language import made_once_in_each

NOTHING = "\u2013"  # an en dash
_SPACE = "\u00a0"


def duration(microseconds: float | None) -> str:
    """Return a time: "0.41 ms", "12.4 ms", "0.21 s", "12.4 s"."""
    return _worded(microseconds, words.duration, words.rough_duration)


def limit(milliseconds: float) -> str:
    """Return a time limit without idle digits: "2 s", "1.5 s", "0.6 s", "50 ms"."""
    return _on_one_line(words.time_limit(milliseconds))


def data_size(size_bytes: float | None) -> str:
    """Return a size in binary units: "640 bytes", "6.9 bytes", "3.2 MiB"."""
    return _worded(size_bytes, words.size, words.rough_size)


def count(number: float | None) -> str:
    """Return a count with thousands separators: "3,000,000"."""
    return _worded(number, words.count, words.count)


def of_kind(kind: Kind, number: float | None) -> str:
    """Return a number of a run: a time, a number of bytes or a count."""
    match kind:
        case Kind.TIME:
            return duration(number)
        case Kind.MEMORY | Kind.BYTES | Kind.SIZE:
            return data_size(number)
        case Kind.COUNT | Kind.SWITCHES:
            return count(number)


def counted(number: int, singular: str, plural: str = "") -> str:
    """A count with its noun, in English as the judge writes it: "1 write call", "under 100 write calls"."""
    return f"{count(number)} {singular if number == 1 else plural or singular + 's'}"


def points(number: float | None) -> str:
    """Return points with at most two decimals: "40", "37.5", "33.33"."""
    return NOTHING if number is None else words.points(number)


def percent(share: float | None) -> str:
    """Return a share between 0 and 1 in whole per cent, rounded down: "83 %"."""
    return NOTHING if share is None else per_cent(words.percent(share, 1))


def per_cent(number: float | str) -> str:
    """Return a number of per cent, on one line: "83 %"."""
    return _on_one_line(words.in_per_cent(number))


def factor(larger: float, smaller: float) -> str:
    """Return how many times one is the other, two digits: "4.7x", "38x", "4,700x". `smaller` must not be 0."""
    ratio = larger / smaller
    return times(f"{ratio:.1f}" if ratio < 9.95 else f"{significant(ratio, 2):,}")


def times(number: str) -> str:
    """Return a factor as the reader's language writes it: "4.7x"."""
    return _("%(number)s×") % {"number": number}  # noqa: RUF001 - the sign of a factor


def ago(moment: datetime, now: datetime | None = None) -> str:
    """Return how long ago something was, in its largest unit: "5 minutes ago"."""
    distance = timesince(moment, now, depth=1)
    return _("just now") if distance.startswith("0") else _("%(time)s ago") % {"time": distance}


def time_ago(moment: datetime) -> SafeString:
    """Return how long ago something was, as HTML with the moment itself, in the reader's time zone, as its tooltip."""
    return _time(moment, ago(moment))


def time_in_zone(moment: datetime | None) -> SafeString | str:
    """Return a moment to the minute in the reader's time zone, with its name: "2026-11-23 14:05 Europe/Berlin"."""
    return _time(moment, _to_the_minute(moment)) if moment else NOTHING


def time_in_full(moment: datetime) -> SafeString:
    """Return both, for the page of what happened then: "5 minutes ago (2026-11-23 14:05 Europe/Berlin)"."""
    return _time(moment, f"{ago(moment)} ({_to_the_minute(moment)})")


def _to_the_minute(moment: datetime) -> str:
    return f"{localtime(moment):%Y-%m-%d %H:%M} {get_current_timezone_name()}"


def _time(moment: datetime, text: str) -> SafeString:
    tooltip = f"{localtime(moment):%Y-%m-%d %H:%M:%S} {get_current_timezone_name()}"
    stated = moment.astimezone(UTC).isoformat()
    return format_html('<time datetime="{}" title="{}">{}</time>', stated, tooltip, text)


def plural_of(number: float) -> int:
    """Return the whole number that chooses a noun's plural form after `number`: "1 point", "0.5 points"."""
    return int(number) if number == int(number) else 2


@made_once_in_each  # few bounds, but thousands of such numbers on the page of a hidden problem with many cases
def _under(bound: str) -> str:
    """Of a number below a bound; where a column is narrow, the bound goes into the next line."""
    return _("under %(bound)s") % {"bound": bound}


def _worded(number: float | None, exact: Callable[[float], str], rough: Callable[[float], str]) -> str:
    if number is None:
        return NOTHING
    if isinstance(number, Under):
        return _under(_on_one_line(rough(number.bound)))
    return _on_one_line((rough if isinstance(number, Rounded) else exact)(number))


def _on_one_line(text: str) -> str:
    return text.replace(" ", _SPACE)
