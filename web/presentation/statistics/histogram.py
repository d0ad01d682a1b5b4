"""Histograms whose columns follow the data: from the least number to the largest, even or by equal factors."""

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from web.access.rounding import Rounded
from web.presentation.units import count

COLUMNS = 12
TOP_Y, BOTTOM_Y = 16, 90  # pixels, of the columns in web/templates/drawing/histogram.html
_MOST_LABELS = 4
_WIDE = 20  # largest / least from here on: columns by equal factors
_LEAST_TOP = 5  # people: one person alone is no full column
_STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """One column: position and size in per cent. `label` is the number where it begins; an empty one has no title."""

    label: str
    title: str
    number: int
    x: float
    width: float
    height: float
    is_own: bool  # the reader's own number is in it
    is_labelled: bool  # there is room for its label

    @property
    def y(self) -> float:
        """The top of the column, per cent of the picture's height."""
        return round(100 - self.height, 2)

    @property
    def number_y(self) -> float:
        """Where the number above the column stands, in pixels of a drawing of BOTTOM_Y."""
        return round(BOTTOM_Y - self.height / 100 * (BOTTOM_Y - TOP_Y) - 3, 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Histogram:
    """How many people have which number. `own`: the reader's number in words; "" without one."""

    label: str
    columns: list[Column]
    own: str

    @property
    def in_words(self) -> str:
        """What its columns show, for those who do not see them."""
        own = _("you are here")
        titles = ((column.title, column.is_own) for column in self.columns if column.number)
        return "".join(f"{title}, {own}. " if is_own else f"{title}. " for title, is_own in titles)


def histogram(
    label: str, numbers: Sequence[int], own: int | None, words: Callable[[float | None], str], unit: int = 1
) -> Histogram | None:
    """Return the histogram of numbers, None of none. Bounds are multiples of the unit, rounded for rounded numbers."""
    if not numbers:
        return None
    exactness = Rounded if any(isinstance(number, Rounded) for number in numbers) else int
    bounds = [exactness(unit * bound) for bound in column_bounds(min(numbers) // unit, max(numbers) // unit)]
    heights = [0] * (len(bounds) - 1)
    for number in numbers:
        heights[_place(bounds, number)] += 1
    own_place = None if own is None else _place(bounds, own)
    top, width = max(_LEAST_TOP, *heights), 100 / len(heights)

    def title(place: int, number: int) -> str:
        text = ngettext("%(least)s to %(most)s: %(number)s person", "%(least)s to %(most)s: %(number)s people", number)
        return text % {"least": words(bounds[place]), "most": words(bounds[place + 1]), "number": count(number)}

    columns = [
        Column(
            label=words(bounds[place]),
            title=title(place, number) if number else "",
            number=number,
            x=round(place * width, 2),
            width=round(width * 0.9, 2),
            height=round(100 * number / top, 2),
            is_own=place == own_place,
            is_labelled=place % math.ceil(len(heights) / _MOST_LABELS) == 0,
        )
        for place, number in enumerate(heights)
    ]
    return Histogram(label=label, columns=columns, own="" if own is None else words(own))


def column_bounds(least: int, largest: int) -> list[int]:
    """Return whole numbers that read well, from `least` or below to above `largest`: of at most COLUMNS columns."""
    if largest <= max(1, least) * _WIDE:
        least_step = (largest - least + 1) / (COLUMNS - 1)
        magnitude = 10.0 ** math.floor(math.log10(max(least_step, 1e-9)))
        step = max(1, round(next(magnitude * factor for factor in _STEPS if magnitude * factor >= least_step)))
        first = least // step * step
        return [first + step * place for place in range((largest - first) // step + 2)]
    bounds: list[int] = []
    for steps in ((1, 2, 5), (1, 3), (1,)):  # larger ones where these are too many
        marks = [step * 10**power for power in range(len(str(largest)) + 1) for step in steps]
        first = max((mark for mark in marks if mark <= least), default=0)
        last = min(mark for mark in marks if mark > largest)
        bounds = [first, *(mark for mark in marks if first < mark <= last)]
        if len(bounds) <= COLUMNS + 1:
            break
    return bounds


def _place(bounds: Sequence[int], number: int) -> int:
    """Return the column of a number; one outside of all is in the nearest."""
    return min(max(0, bisect_right(bounds, number) - 1), len(bounds) - 2)
