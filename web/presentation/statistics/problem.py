"""The statistics of one problem for one reader: how many solved it, distributions by language, two boards.

Numbers are as exact as on the reader's own results (`web.access.rounding`). Places follow what is shown: equal
numbers share a place. A row has a name if that person chose so; otherwise it is the reader's own or somebody's.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _, ngettext

from judge.grading.languages import LANGUAGES
from judge.submissions.statistics import PersonsBest, ProblemStatistics
from problems.models import Statistics
from sandbox.types import MIB
from web.access.rounding import Rounded, Rounding
from web.presentation.charts import Column
from web.presentation.units import count, data_size, duration

COLUMNS = 12
_MOST_LABELS = 4
_WIDE = 20  # largest / least from here on: columns by equal factors
_LEAST_TOP = 5  # people: one person alone is no full column
_STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True, kw_only=True, slots=True)
class Histogram:
    """How many people have which number, in columns that follow the data. `own`: the reader's, in words, or ""."""

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


BOARD_ROWS = 10
Names = Callable[[Collection[int]], Mapping[int, str]]  # of the accounts that show theirs


@dataclass(frozen=True, kw_only=True, slots=True)
class LanguageSpread:
    """The distributions of one language."""

    name: str
    people: int
    histograms: list[Histogram]


@dataclass(frozen=True, kw_only=True, slots=True)
class BoardRow:
    """One place of a board."""

    place: int
    name: str  # empty: not shown
    is_own: bool
    words: str
    language: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Board:
    """The best programs by one number; `own` is the reader's row where it is not among them."""

    title: str
    measure: str  # the heading of the numbers
    rows: list[BoardRow]
    own: BoardRow | None


@dataclass(frozen=True, kw_only=True, slots=True)
class StatisticsPage:
    """What one reader learns of a problem's accepted programs."""

    solvers: int
    is_all: bool
    languages: list[LanguageSpread]
    boards: list[Board]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Number:
    """One number of a best program: as the reader sees it, and in words."""

    label: str
    of: Callable[[PersonsBest], int | None]
    rule: Callable[[float], int]  # rounds it
    words: Callable[[float | None], str]
    unit: int = 1  # of the histogram's bounds

    def of_best(self, best: PersonsBest) -> int | None:
        number = self.of(best)
        return None if number is None else self.rule(number)


def statistics_page(
    statistics: ProblemStatistics, shows: str, reader: int | None, rounding: Rounding, names: Names
) -> StatisticsPage:
    """Return the page of a problem that shows so much (`Statistics`) to a reader who sees its numbers rounded so."""
    cpu = _Number(label=_("CPU time"), of=lambda best: best.cpu_time_us, rule=rounding.cpu_time_us, words=duration)
    calls = _Number(
        label=_("Write calls"), of=lambda best: best.write_calls, rule=rounding.of_sums().write_calls, words=count
    )
    memory = _Number(
        label=_("Peak memory"),
        of=lambda best: best.peak_memory_bytes,
        rule=rounding.memory_bytes,
        words=data_size,
        unit=MIB,
    )
    bests, has_boards = statistics.bests, shows == Statistics.BOARDS and statistics.bests
    boards = ((_("Fastest"), cpu), (_("Fewest write calls"), calls)) if has_boards else ()
    return StatisticsPage(
        solvers=len(statistics.solvers),
        is_all=statistics.is_all,
        languages=_spreads(bests, (cpu, calls, memory), reader) if shows != Statistics.NONE else [],
        boards=[_board(title, number, bests, reader, names) for title, number in boards],
    )


def _spreads(bests: Sequence[PersonsBest], numbers: Sequence[_Number], reader: int | None) -> list[LanguageSpread]:
    """Return the languages, the most used first."""
    by_language: dict[str, list[PersonsBest]] = {}
    for best in bests:
        by_language.setdefault(best.language, []).append(best)
    spreads = []
    for language, those in sorted(by_language.items(), key=lambda item: (-len(item[1]), item[0])):
        own = next((best for best in those if best.user == reader), None)
        histograms = []
        for number in numbers:
            values = [value for best in those if (value := number.of_best(best)) is not None]
            own_value = number.of_best(own) if own else None
            if drawn := histogram(number.label, values, own_value, number.words, number.unit):
                histograms.append(drawn)
        spreads.append(LanguageSpread(name=_short_name(language), people=len(those), histograms=histograms))
    return spreads


def _board(title: str, number: _Number, bests: Sequence[PersonsBest], reader: int | None, names: Names) -> Board:
    """Return each person once, with the best of all languages; of equal ones the reader's own row comes first."""
    best_of: dict[int, tuple[int, PersonsBest]] = {}
    for best in bests:
        value = number.of_best(best)
        if value is not None and (best.user not in best_of or value < best_of[best.user][0]):
            best_of[best.user] = (value, best)
    ordered = sorted(best_of.values(), key=lambda pair: (pair[0], pair[1].user != reader))
    display_names = names([best.user for _value, best in ordered[:BOARD_ROWS]])
    first: dict[int, int] = {}  # of those with the same number
    for place, (value, _best) in enumerate(ordered, 1):
        first.setdefault(value, place)

    def row(value: int, best: PersonsBest) -> BoardRow:
        return BoardRow(
            place=first[value],
            name=display_names.get(best.user, ""),
            is_own=best.user == reader,
            words=number.words(value),
            language=_short_name(best.language),
        )

    own = next((row(*pair) for pair in ordered[BOARD_ROWS:] if pair[1].user == reader), None)
    return Board(title=title, measure=number.label, rows=[row(*pair) for pair in ordered[:BOARD_ROWS]], own=own)


def _short_name(language: str) -> str:
    """Return a language's name without its version; its id if this Tally does not have it."""
    return LANGUAGES[language].short_name if language in LANGUAGES else language
