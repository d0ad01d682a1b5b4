"""The change from one number to another in words, careful about noise and about rounded numbers.

Counts are exact, so any difference is one, but not of those that are rounded. Times vary from run to run: a difference
under 10 % (or under 10 ms) is called the same. Numbers of a run that was stopped at a limit are lower bounds.
"""

from dataclasses import dataclass

from judge.grading.measures import Kind
from web.presentation.rounding import DIGITS, Rounded, Under
from web.presentation.units import count, factor

SAME = "the same"
SAME_ROUNDED = f"the same to {'two' if DIGITS == 2 else DIGITS} digits"
UNTOLD = "cannot be told"
_TIMES_FROM = 1.95  # from here on "2.0x", below it per cent


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """From `a` to `b`. `direction` is "less", "more", "same", "untold" or "other" (neither is better), for colours.

    `interval`: of repeated runs, in which range it lies.
    """

    words: str
    direction: str
    interval: str = ""


def change(a: float | None, b: float | None, kind: Kind, *, a_stopped: bool = False, b_stopped: bool = False) -> Change:
    """Return the change in words: "4.7x fewer", "38 % more", "the same"; "at least" if a limit stopped a run."""
    if a is None or b is None:
        return Change(words="", direction="same") if a is b else Change(words=UNTOLD, direction="untold")
    if isinstance(a, Under) and isinstance(b, Under) and a.bound > kind.least:
        return Change(words=UNTOLD, direction="untold")
    if kind.is_same(a, b):
        is_bound = a_stopped or b_stopped
        same = SAME_ROUNDED if isinstance(a, Rounded) and not kind.noise else SAME
        return Change(words=f"{same} so far" if is_bound else same, direction="same")
    is_less = b < a
    if (a_stopped and not is_less) or (b_stopped and is_less) or (a_stopped and b_stopped):
        return Change(words=UNTOLD, direction="untold")
    direction = "other" if kind is Kind.SIZE else "less" if is_less else "more"
    is_bound = isinstance(min(a, b), Under) or ((a_stopped or b_stopped) and min(a, b) > 0)
    return Change(words=("at least " if is_bound else "") + _amount(a, b, kind), direction=direction)


def _amount(a: float, b: float, kind: Kind) -> str:
    word = kind.less if b < a else kind.more
    a, b = (each.bound if isinstance(each, Under) else each for each in (a, b))
    larger, smaller = max(a, b), min(a, b)
    if smaller == 0:
        return "none any more" if b == 0 else "new"
    if kind is Kind.COUNT and larger < 100:
        return f"{count(larger - smaller)} {word}"
    if larger / smaller >= _TIMES_FROM:
        return f"{factor(larger, smaller)} {word}"
    per_cent = 100 * (larger - smaller) / a
    return f"{per_cent:.0f}\u00a0% {word}" if per_cent >= 1 else f"a little {word}"
