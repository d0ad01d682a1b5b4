"""The change from one number to another in words, careful about noise.

Counts are exact, so any difference is one. Times vary from run to run: a difference under 10 % (or under 10 ms) is
called the same. Numbers of a run that was stopped at a limit are lower bounds.
"""

from dataclasses import dataclass
from enum import Enum

from web.presentation.units import count, factor

SAME = "the same"
UNTOLD = "cannot be told"
_NOISE = 0.10
_NOISE_US = 10_000
_MEMORY_NOISE_BYTES = 512 * 1024
_SWITCHES_NOISE = 20
_TIMES_FROM = 1.95  # from here on "2.0x", below it per cent


class Kind(Enum):
    """What sort of number it is: how noisy, and which word it takes."""

    TIME = ("less", "more", _NOISE, _NOISE_US)
    MEMORY = ("less", "more", _NOISE, _MEMORY_NOISE_BYTES)
    COUNT = ("fewer", "more", 0.0, 0)
    SIZE = ("smaller", "larger", 0.0, 0)
    BYTES = ("less", "more", 0.0, 0)
    SWITCHES = ("fewer", "more", 2 * _NOISE, _SWITCHES_NOISE)

    def __init__(self, less: str, more: str, noise: float, least: int) -> None:
        self.less = less
        self.more = more
        self.noise = noise
        self.least = least

    def is_same(self, a: float, b: float) -> bool:
        """Whether the two cannot be told apart."""
        return a == b or abs(a - b) < max(self.noise * max(a, b), self.least)


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """From `a` to `b`. `direction` is "less", "more", "same", "untold" or "other" (neither is better), for colours.

    `interval`: of repeated runs, in which range it lies.
    """

    words: str
    direction: str
    interval: str = ""


def change(a: float | None, b: float | None, kind: Kind, *, a_stopped: bool = False, b_stopped: bool = False) -> Change:
    """The change in words: "4.7x fewer", "38 % more", "the same"; "at least" where a run was stopped at a limit."""
    if a is None or b is None:
        return Change(words="", direction="same") if a is b else Change(words=UNTOLD, direction="untold")
    if kind.is_same(a, b):
        is_bound = a_stopped or b_stopped
        return Change(words=f"{SAME} so far" if is_bound else SAME, direction="same")
    is_less = b < a
    if (a_stopped and not is_less) or (b_stopped and is_less) or (a_stopped and b_stopped):
        return Change(words=UNTOLD, direction="untold")
    direction = "other" if kind is Kind.SIZE else "less" if is_less else "more"
    at_least = "at least " if (a_stopped or b_stopped) and min(a, b) else ""
    return Change(words=at_least + _amount(a, b, kind), direction=direction)


def _amount(a: float, b: float, kind: Kind) -> str:
    larger, smaller = max(a, b), min(a, b)
    word = kind.less if b < a else kind.more
    if smaller == 0:
        return "none any more" if b == 0 else "new"
    if kind is Kind.COUNT and larger < 100:
        return f"{count(larger - smaller)} {word}"
    if larger / smaller >= _TIMES_FROM:
        return f"{factor(larger, smaller)} {word}"
    per_cent = 100 * (larger - smaller) / a
    return f"{per_cent:.0f}\u00a0% {word}" if per_cent >= 1 else f"a little {word}"
