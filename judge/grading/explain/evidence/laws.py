"""Find the law that counts follow: an exact sum of a few terms in the sizes of the input, else one term that they keep
a steady ratio to.

How it works: the exact laws are tried from the simplest on. A law is solved from as many runs as it has coefficients,
and has to be right on all others, of which there are at least two. What fits alike in other sizes, since in all runs
these went along with each other, must say the same of the case that the counts are to be told for; else nothing is
said. A ratio counts if it is the same, within some per cent, at four sizes or more over a factor of eight.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise

from judge.grading.counted_work import Law, Term
from judge.grading.explain.evidence.sizes import NUMBERS

Sizes = Mapping[str, int]
Rows = Sequence[tuple[int, ...]]  # what the terms of a law are in each run

_SPARE = 2  # runs more than coefficients, at least
# Denominators of coefficients that loops in loops make. Of characters none but halves: what goes along with a count of
# values in inputs of one width (7 bytes a value) is no law.
_PARTS_OF_LOOPS = frozenset({1, 2, 3, 4, 6, 8, 12, 24})
_PARTS_OF_CHARACTERS = frozenset({1, 2})
_OF_CHARACTERS = frozenset({"bytes", "longest"})
_SAME = 0.01  # predictions that differ by less are alike
STEADY = 0.06  # of a ratio: the most that the largest differs from the smallest
_CLEAR = 0.01
_CLEARER = 3.0  # times as steady as any other ratio that says something else
_ALIKE = 0.15  # what ratios may differ in
_LEAST_COUNT, _LEAST_POINTS, _LEAST_SPAN = 100, 4, 8
BEYOND = 50  # times the largest size of all runs a ratio is reckoned with
_LEAST_BASE, _STEADY_BASE, _MOST_DRIFT = 1.2, 0.02, 0.1
_MOST_EXPONENT = 4_000
_PARTS = 10**12  # of one, in which a factor that is not exact is kept
_MOST_EXPECTED = 1 << 62  # no run takes so many steps
_ONE = Term(top=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """A law, and what it says of the case: None where it cannot be reckoned so far."""

    law: Law
    expected: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class LawSearch:
    """The search for the laws of several lines in the same runs, of these sizes, for the same case."""

    runs: Sequence[Sizes]
    case: Sizes
    _rows: dict[Law, Rows | None] = field(default_factory=dict)

    def law_of(self, counts: Sequence[int]) -> Told | None:
        """Return the law of a line's counts in the runs; None if there is none, or more than one."""
        names = tuple(name for name in self.case if all(name in run for run in self.runs))
        if fits := self._exact(counts, names):
            is_clear = all(_are_alike(fits[0].expected, other.expected, _SAME) for other in fits[1:])
            told = min(fits, key=lambda told: len(told.law.sizes)) if is_clear else None
        else:
            told = _steady(counts, self.runs, self.case, names) or _growing(counts, self.runs, self.case)
        is_beyond = told and told.expected is not None and abs(told.expected) > _MOST_EXPECTED
        return replace(told, expected=None) if told and is_beyond else told

    def _exact(self, counts: Sequence[int], names: tuple[str, ...]) -> list[Told]:
        """Return the exact laws that fit, the simplest first: of no more terms than one beyond it."""
        fits: list[Told] = []
        for basis in exact_laws(names):
            if fits and len(basis.terms) > len(fits[0].law.terms) + (fits[0].law.sizes != ()):
                break
            if basis not in self._rows:
                self._rows[basis] = _rows_of(basis, self.runs)
            rows = self._rows[basis]
            law = None if rows is None else _solved(basis, counts, rows) if basis.sizes else self._constant(counts)
            if law is None:
                continue
            value = value_of(law, self.case)
            fits.append(Told(law=law, expected=None if value is None else round(value)))
        return fits

    def _constant(self, counts: Sequence[int]) -> Law | None:
        if len({*counts}) > 1 or len({tuple(run.items()) for run in self.runs}) <= _SPARE:
            return None
        return Law(sizes=(), terms=(replace(_ONE, top=counts[0]),), is_exact=True)


def value_of(law: Law, sizes: Sizes) -> Fraction | float | None:
    """Return what a law says of these sizes; None if it is beyond all numbers, or a size is missing."""
    if any(name not in sizes for name in law.sizes):
        return None
    numbers = [sizes[name] for name in law.sizes]
    try:
        return sum((_value(term, numbers, is_exact=law.is_exact) for term in law.terms), Fraction(0))
    except (OverflowError, ValueError):
        return None


def _value(term: Term, numbers: Sequence[int], *, is_exact: bool) -> Fraction | float:
    value: Fraction | float = Fraction(term.top, term.bottom)
    for number, halves in zip(numbers, term.halves, strict=False):
        value *= number ** (halves // 2)
        if halves % 2:
            value *= math.isqrt(number) if is_exact else math.sqrt(number)
    if term.logarithm == "log2":
        if numbers[-1] < 1:
            raise ValueError("there is no logarithm of it")
        value *= numbers[-1].bit_length() - 1 if is_exact else math.log2(numbers[-1])
    elif term.logarithm:
        value *= math.log(math.log(numbers[0]))
    if term.base:
        if numbers[0] > _MOST_EXPONENT:
            raise OverflowError
        value *= (term.base // 10_000) ** numbers[0] if is_exact else (term.base / 10_000) ** numbers[0]
    return value


@cache
def exact_laws(names: tuple[str, ...]) -> tuple[Law, ...]:
    """Return the exact laws to try, the simplest first, with coefficients of 1."""
    bases: list[Law] = [Law(sizes=(), terms=(_ONE,), is_exact=True)]
    for number in (1, 2, 3):
        for chosen in combinations(names, number):
            for terms in _in(number):
                bases.append(Law(sizes=chosen, terms=terms, is_exact=True))
    return tuple(sorted(bases, key=lambda law: (len(law.terms), len(law.sizes))))


def _in(number: int) -> Iterator[tuple[Term, ...]]:
    """Yield the sums of terms in one, two or three sizes."""
    powers = {
        1: ((2,), (4,), (6,), (1,), (3,)),
        2: ((2, 2), (4, 2), (2, 4), (4, 4)),
        3: ((2, 2, 2),),
    }[number]
    leading = [Term(top=1, halves=halves) for halves in powers]
    if number == 1:
        leading += [Term(top=1, halves=(halves,), base=20_000) for halves in (0, 2)]
        leading += [Term(top=1, halves=(halves,), logarithm="log2") for halves in (0, 2)]
    if number == 2:
        leading += [Term(top=1, halves=halves, logarithm="log2") for halves in ((2, 0),)]
    for term in leading:
        yield (term,)
        yield term, _ONE
    first, second = (replace(_ONE, halves=(2,)), replace(_ONE, halves=(0, 2)))
    if number == 1:
        square, cube, power = (replace(_ONE, halves=(4,)), replace(_ONE, halves=(6,)), leading[5])
        yield from ((square, first), (square, first, _ONE), (cube, first), (cube, square), (cube, square, first))
        yield from ((cube, square, first, _ONE), (leading[6], power), (leading[6], power, _ONE))
        yield leading[8], first
        yield leading[4], first
    elif number == 2:
        product = leading[0]
        yield from ((first, second), (first, second, _ONE), (product, first), (product, second))
        yield from ((product, first, _ONE), (product, second, _ONE), (product, first, second, _ONE))


def _rows_of(basis: Law, runs: Sequence[Sizes]) -> Rows | None:
    rows = []
    for run in runs:
        sizes = [run[name] for name in basis.sizes]
        is_bounded = all(0 < size <= _MOST_EXPONENT**2 for size in sizes)
        if not is_bounded and any(term.logarithm or term.base for term in basis.terms):
            return None
        try:
            rows.append(tuple(int(_value(term, sizes, is_exact=True)) for term in basis.terms))
        except (OverflowError, ValueError):
            return None
    return rows


def _solved(basis: Law, counts: Sequence[int], whole: Rows) -> Law | None:
    """Return the law with the coefficients that make all counts right; None if none do."""
    number = len(basis.terms)
    rows: dict[tuple[int, ...], int] = {}
    for row, count in zip(whole, counts, strict=True):
        if rows.setdefault(row, count) != count:
            return None
    if len(rows) < number + _SPARE:
        return None
    solution = _solution(list(rows.items()), number)
    parts = _PARTS_OF_LOOPS if _OF_CHARACTERS.isdisjoint(basis.sizes) else _PARTS_OF_CHARACTERS
    if solution is None or any(not part or part.denominator not in parts for part in solution):
        return None
    if any(sum(a * b for a, b in zip(row, solution, strict=True)) != count for row, count in rows.items()):
        return None
    terms = (
        replace(term, top=part.numerator, bottom=part.denominator)
        for term, part in zip(basis.terms, solution, strict=True)
    )
    return replace(basis, terms=tuple(terms))


def _solution(rows: Sequence[tuple[tuple[int, ...], int]], number: int) -> list[Fraction] | None:
    """Solve for the coefficients by elimination, from the first rows that suffice."""
    pivots: list[tuple[int, list[Fraction]]] = []
    for row, count in rows:
        left = [Fraction(part) for part in (*row, count)]
        for column, pivot in pivots:
            left = [a - left[column] * b for a, b in zip(left, pivot, strict=True)]
        column = next((place for place in range(number) if left[place]), -1)
        if column < 0:
            if left[number]:
                return None  # this row contradicts the others
            continue
        scaled = [part / left[column] for part in left]
        pivots = [
            (place, [a - pivot[column] * b for a, b in zip(pivot, scaled, strict=True)]) for place, pivot in pivots
        ]
        pivots.append((column, scaled))
    if len(pivots) < number:
        return None
    return [pivot[number] for _, pivot in sorted(pivots)]


@cache
def ratios(names: tuple[str, ...]) -> tuple[Law, ...]:
    """Return the laws of one term to try as a ratio, the simplest first."""
    laws = []
    for name in names:
        terms = [Term(top=1, halves=(halves,)) for halves in (2, 4, 6, 1, 3, 5)]
        terms += [Term(top=1, halves=(halves,), logarithm="log2") for halves in (0, 2, 4)]
        terms += [Term(top=1, halves=(2,), logarithm="lnln")]
        laws += [Law(sizes=(name,), terms=(term,), is_exact=False) for term in terms]
    for pair in combinations((name for name in names if name in NUMBERS), 2):
        terms = [Term(top=1, halves=halves) for halves in ((2, 2), (4, 2), (2, 4))]
        laws += [Law(sizes=pair, terms=(term,), is_exact=False) for term in terms]
        for order in (pair, pair[::-1]):
            term = Term(top=1, halves=(2, 0), logarithm="log2")
            laws.append(Law(sizes=order, terms=(term,), is_exact=False))
    return tuple(laws)


def _steady(counts: Sequence[int], runs: Sequence[Sizes], case: Sizes, names: tuple[str, ...]) -> Told | None:
    fits = []
    for law in ratios(names):
        points = []
        for count, run in zip(counts, runs, strict=True):
            value = (
                value_of(law, run)
                if all(run[name] > (2 if law.terms[0].logarithm else 0) for name in law.sizes)
                else None
            )
            points.append((float(value or 0), count))
        spread, factor = _spread(points)
        if spread <= STEADY:
            term = replace(law.terms[0], top=round(factor * _PARTS), bottom=_PARTS)
            law = replace(law, terms=(term,), off_percent=max(1, math.ceil(50 * spread)))
            fits.append((spread, Told(law=law, expected=_reckoned(law, runs, case))))
    if not fits:
        return None
    least = min(spread for spread, _ in fits)
    clear = [told for spread, told in fits if spread <= max(_CLEARER * least, _CLEAR)]
    values = [value_of(told.law, case) for told in clear]  # also where they are not told, being too far beyond
    at_case = [None if value is None else round(value) for value in values]
    return clear[0] if all(_are_alike(at_case[0], value, _ALIKE) for value in at_case) else None


def _spread(points: Sequence[tuple[float, int]]) -> tuple[float, float]:
    """Return how far the ratios of counts to values lie apart, of all large enough counts, and their middle."""
    large = [(value, count) for value, count in points if count >= _LEAST_COUNT and value > 0]
    least = min((value for value, _ in large), default=0.0)
    is_whole = all(value < least for value, count in points if count < _LEAST_COUNT)
    values = {value for value, _ in large}
    if not is_whole or len(values) < _LEAST_POINTS or max(values) < _LEAST_SPAN * least:
        return math.inf, 0.0
    ratios = [count / value for value, count in large]
    return max(ratios) / min(ratios) - 1, math.sqrt(max(ratios) * min(ratios))


def _reckoned(law: Law, runs: Sequence[Sizes], case: Sizes) -> int | None:
    """Return what a ratio says of the case, if its sizes are not too far beyond those of the runs."""
    if any(name not in case or case[name] > BEYOND * max(run[name] for run in runs) for name in law.sizes):
        return None
    if law.terms[0].logarithm and any(case[name] <= 2 for name in law.sizes):
        return None
    value = value_of(law, case)
    return None if value is None else round(value)


def _growing(counts: Sequence[int], runs: Sequence[Sizes], case: Sizes) -> Told | None:
    """Find counts that each step of the first number multiplies by the same factor."""
    name = "number1"
    if name not in case or any(name not in run for run in runs):
        return None
    points = sorted({(run[name], count) for run, count in zip(runs, counts, strict=True) if count >= _LEAST_COUNT})
    if len(points) <= _LEAST_POINTS or len({size for size, _ in points}) < len(points):
        return None
    if any(run[name] > points[0][0] for run, count in zip(runs, counts, strict=True) if count < _LEAST_COUNT):
        return None
    slopes = [math.log(after[1] / before[1]) / (after[0] - before[0]) for before, after in pairwise(points)]
    if min(slopes) < math.log(_LEAST_BASE) or max(slopes) - min(slopes) > _STEADY_BASE:
        return None
    (_, low), (last, high) = points[0], points[-1]
    if high < _LEAST_SPAN * low or last <= 0:
        return None
    slope = slopes[-1]  # the surest: of the largest counts
    try:
        top = round(high / math.exp(slope * last) * _PARTS)
    except OverflowError:
        return None
    if not top:
        return None
    term = Term(top=top, bottom=_PARTS, halves=(0,), base=round(math.exp(slope) * 10**4))
    law = Law(
        sizes=(name,), terms=(term,), is_exact=False, off_percent=max(1, round(100 * (max(slopes) - min(slopes))))
    )
    drift = (max(slopes) - min(slopes)) * abs(case[name] - last)
    if drift > _MOST_DRIFT or case[name] >= 10 * last:
        return Told(law=law, expected=None)
    try:
        return Told(law=law, expected=round(high * math.exp(slope * (case[name] - last))))
    except OverflowError:
        return None


def _are_alike(one: int | None, other: int | None, within: float) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= within * max(abs(one), abs(other), 1)
