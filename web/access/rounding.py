"""Round a hidden case's numbers for those who may not see the case: the one place that decides it.

A program chooses what it does, so it can say what it read: 165 calls for the letter A. Hence two significant digits,
and nothing below 100, for everybody but staff and the problem's owner, unless the problem is open. docs/security.md
counts the bits that are left.

How it works: a number of a run is rounded by its row in `judge.grading.measures` (`Rounding.measured`), any other as
what it is (`count`, `time_us`, ...) or by its name in evidence (`named`). What is computed of such numbers (a mean, a
ratio, a share, a position in a picture) is computed of the rounded ones. A sum is rounded itself, as one of small
numbers would else be no number at all. What the judge stored as whole per cent stays so. No number is rounded across
its limit: the verdict tells that anyway.

An `Under` is 0 to who reckons with it and a bound to who words it, so that a use which forgets it tells nothing.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from judge.grading.measures import BY_NAME, Kind, Limit, Measure

DIGITS = 2
LEAST_COUNT = 100  # of calls, bytes, switches, faults: below it there is no number
LEAST_TIME_US = 10_000
LEAST_MEMORY_BYTES = 1024 * 1024
MOST_NAMES = 8  # of calls or source lines
LEAST_SHARE = 0.01  # of all calls or writes, that one of those has to have
STEPS = 10  # even ones, in which a run over time is shown
CORE_PARTS = 10  # of what a step used of a core
_DIGITS_AT_A_LIMIT = 3
_NEAR = 2  # times a limit on calls, or a part of it: there the count has another digit


class Under(int):
    """A number of which no more is shown than that it is below `bound`. In sums and pictures it is 0."""

    bound: int

    def __new__(cls, bound: int) -> "Under":
        zero = super().__new__(cls, 0)
        zero.bound = bound
        return zero


class Rounded(int):
    """A number that was rounded, to be worded without digits that it does not have.

    `error`: how far off it is at most, where that is asked for: half a step.
    """

    error: int

    def __new__(cls, number: int, step: int = 0) -> "Rounded":
        value = super().__new__(cls, number)
        value.error = (step + 1) // 2
        return value


@dataclass(frozen=True, kw_only=True, slots=True)
class Rounding:
    """One reader's rounding of the numbers of one case. The limits are the problem's; 0: there is none."""

    is_exact: bool
    time_limit_us: int = 0
    memory_limit_bytes: int = 0
    write_calls_limit: int = 0
    read_calls_limit: int = 0

    def count(self, number: float) -> int:
        """Round calls, bytes, switches, page faults: two digits, or "under 100"."""
        if self.is_exact:
            return round(number)
        return Under(LEAST_COUNT) if number < LEAST_COUNT else _significant(number)

    def time_us(self, number: float) -> int:
        """Round a time: two digits, but whole hundredths of a second, or "under 10 ms"."""
        return self._time(number, 0)

    def cpu_time_us(self, number: float) -> int:
        """Round CPU time, which has a limit, like a time."""
        return self._time(number, self.time_limit_us)

    def memory_bytes(self, number: float) -> int:
        """Round peak memory: two digits, but whole MiB, or "under 1 MiB"."""
        if self.is_exact:
            return round(number)
        if number < LEAST_MEMORY_BYTES:
            return Under(LEAST_MEMORY_BYTES)
        step = _step(number / LEAST_MEMORY_BYTES) * LEAST_MEMORY_BYTES
        return _rounded(number, step, self.memory_limit_bytes)

    def write_calls(self, number: float) -> int:
        """Like a count; from half the limit to twice as many with three digits."""
        return self._calls(number, self.write_calls_limit)

    def read_calls(self, number: float) -> int:
        """Round read calls, which may have a limit."""
        return self._calls(number, self.read_calls_limit)

    def measured(self, measure: Measure, number: float) -> int:
        """Round a number of a run by its row in the table: its kind and its limit."""
        match measure.limit:
            case Limit.TIME:
                return self.cpu_time_us(number)
            case Limit.WRITE_CALLS:
                return self.write_calls(number)
            case Limit.READ_CALLS:
                return self.read_calls(number)
        match measure.kind:
            case Kind.TIME:
                return self.time_us(number)
            case Kind.MEMORY:
                return self.memory_bytes(number)
            case Kind.COUNT | Kind.BYTES | Kind.SIZE | Kind.SWITCHES:
                return self.count(number)

    def of_sums(self) -> "Rounding":
        """Return the rounding for sums over several cases: the limits on time and calls are limits of one case."""
        return replace(self, time_limit_us=0, write_calls_limit=0, read_calls_limit=0)

    def named(self, name: str, number: float) -> int:
        """Round a number by its name in rows, evidence and metrics; an unknown name counts as a count."""
        if name in BY_NAME:
            return self.measured(BY_NAME[name], number)
        if name.endswith("_us"):
            return self.time_us(number)
        if name.endswith("_percent"):
            return round(number)
        return self.count(number)

    def rate(self, per_second: float) -> int:
        """Round switches per second of one of the `STEPS`: powers of ten, 0 below a hundred."""
        if self.is_exact:
            return round(per_second)
        return 10 ** round(math.log10(per_second)) if per_second >= LEAST_COUNT else 0

    def cores(self, busy: float) -> float:
        """Round the number of busy cores in one of the `STEPS` to the tenth."""
        return busy if self.is_exact else round(busy * CORE_PARTS) / CORE_PARTS

    def names_that_matter(self, counts: Mapping[str, int]) -> dict[str, int]:
        """Return counts by name, or by source line; of a hidden case the few largest: there are 300 system calls."""
        if self.is_exact:
            return dict(counts)
        least = sum(counts.values()) * LEAST_SHARE
        largest = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_NAMES]
        rounded = {name: self.count(number) for name, number in largest if number >= least}
        # Equal numbers are in the order of their names: the order of those that look alike would say more.
        return dict(sorted(rounded.items(), key=lambda item: (-item[1], item[0])))

    def _time(self, number: float, limit: int) -> int:
        if self.is_exact:
            return round(number)
        if number < LEAST_TIME_US:
            return Under(LEAST_TIME_US)
        return _rounded(number, max(LEAST_TIME_US, _step(number)), limit)

    def _calls(self, number: float, limit: int) -> int:
        if self.is_exact or not limit:
            return self.count(number)
        least = min(LEAST_COUNT, math.ceil(limit / _NEAR))
        if number < least:
            return Under(least)
        is_near = limit / _NEAR <= number <= max(limit * _NEAR, LEAST_COUNT)
        return _rounded(number, _step(number, _DIGITS_AT_A_LIMIT if is_near else DIGITS), limit)


EXACT = Rounding(is_exact=True)


def mean(total: float, number: float) -> float | None:
    """Return so much for each of so many; None for none, and if either is an `Under`."""
    if not number or isinstance(total, Under):
        return None
    mean = total / number
    return _significant(mean) if isinstance(total, Rounded) or isinstance(number, Rounded) else mean


def plain(value: Any, per_unit: int = 1, form: str = "") -> Any:
    """Return a value for a file: "under 100" for a number known only to be below a bound.

    In units of which one is so many of the value's, written by a format specification, if one is given.
    """
    if isinstance(value, Under):
        return f"under {value.bound / per_unit:g}"
    return f"{value / per_unit:{form}}" if form else value


def significant(number: float, digits: int) -> int:
    """Return a whole number rounded to so many significant digits."""
    whole = round(abs(number))
    return round(whole, -max(0, len(str(whole)) - digits))


def _significant(number: float) -> Rounded:
    return Rounded(significant(number, DIGITS), _step(number))


def _step(number: float, digits: int = DIGITS) -> int:
    """Return the place of the last digit that is kept."""
    return int(10 ** max(0, len(str(math.floor(number))) - digits))


def _rounded(number: float, step: int, limit: int) -> Rounded:
    """Round to a multiple of the step, on the side of the limit where the number is."""
    rounded = round(number / step) * step
    if limit and number <= limit < rounded:
        rounded = limit
    if limit and number > limit >= rounded:
        rounded = limit - limit % step + step
        step *= 2  # it may be a whole step away
    return Rounded(rounded, step)
