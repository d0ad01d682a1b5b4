"""The change from one number to another in words, careful about noise and about rounded numbers.

Counts are exact, so any difference is one, but not of those that are rounded. Times vary from run to run: what
counts as the same is decided by `judge.grading.sameness`. Numbers of a run that was stopped at a limit are lower
bounds.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from judge.grading.measures import Kind
from judge.grading.sameness import is_counted, is_same, noise_of
from web.access.rounding import Rounded, Under
from web.presentation.units import count, factor, per_cent

SAME = gettext_noop("the same")
SAME_ROUNDED = gettext_noop("the same to two digits")  # `web.access.rounding.DIGITS`
UNTOLD = gettext_noop("cannot be told")
_SO_FAR: Mapping[str, str] = {  # of a run that was stopped at a limit
    SAME: gettext_noop("the same so far"),
    SAME_ROUNDED: gettext_noop("the same to two digits so far"),
}
_CHANGED: Mapping[str, str] = {  # by the words of `judge.grading.measures.Kind`
    "less": gettext_noop("%(amount)s less"),
    "fewer": gettext_noop("%(amount)s fewer"),
    "smaller": gettext_noop("%(amount)s smaller"),
    "more": gettext_noop("%(amount)s more"),
    "larger": gettext_noop("%(amount)s larger"),
}
_CHANGED_AT_LEAST: Mapping[str, str] = {
    "less": gettext_noop("at least %(amount)s less"),
    "fewer": gettext_noop("at least %(amount)s fewer"),
    "smaller": gettext_noop("at least %(amount)s smaller"),
    "more": gettext_noop("at least %(amount)s more"),
    "larger": gettext_noop("at least %(amount)s larger"),
}
_CHANGED_A_LITTLE: Mapping[str, str] = {
    "less": gettext_noop("a little less"),
    "fewer": gettext_noop("a little fewer"),
    "smaller": gettext_noop("a little smaller"),
    "more": gettext_noop("a little more"),
    "larger": gettext_noop("a little larger"),
}
_CHANGED_AT_LEAST_A_LITTLE: Mapping[str, str] = {
    "less": gettext_noop("at least a little less"),
    "fewer": gettext_noop("at least a little fewer"),
    "smaller": gettext_noop("at least a little smaller"),
    "more": gettext_noop("at least a little more"),
    "larger": gettext_noop("at least a little larger"),
}
TIMES_FROM = 1.95  # from here on "2.0x", below it per cent


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
        return Change(words="", direction="same") if a is b else Change(words=_(UNTOLD), direction="untold")
    if isinstance(a, Under) and isinstance(b, Under) and a.bound > noise_of(kind).least:
        return Change(words=_(UNTOLD), direction="untold")
    if is_same(kind, a, b):
        is_bound = a_stopped or b_stopped
        same = SAME_ROUNDED if isinstance(a, Rounded) and is_counted(kind) else SAME
        return Change(words=_(_SO_FAR[same] if is_bound else same), direction="same")
    is_less = b < a
    if (a_stopped and not is_less) or (b_stopped and is_less) or (a_stopped and b_stopped):
        return Change(words=_(UNTOLD), direction="untold")
    direction = "other" if kind is Kind.SIZE else "less" if is_less else "more"
    is_bound = isinstance(min(a, b), Under) or ((a_stopped or b_stopped) and min(a, b) > 0)
    word = kind.less if is_less else kind.more
    a, b = (value.bound if isinstance(value, Under) else value for value in (a, b))
    larger, smaller = max(a, b), min(a, b)
    if smaller == 0:
        words = _("none any more") if b == 0 else _("new")
    elif kind is Kind.COUNT and larger < 100:
        words = changed(count(larger - smaller), word, is_bound=is_bound)
    elif larger / smaller >= TIMES_FROM:
        words = changed(factor(larger, smaller), word, is_bound=is_bound)
    elif (share := 100 * (larger - smaller) / a) >= 1:
        words = changed(per_cent(f"{share:.0f}"), word, is_bound=is_bound)
    else:
        words = _((_CHANGED_AT_LEAST_A_LITTLE if is_bound else _CHANGED_A_LITTLE)[word])
    return Change(words=words, direction=direction)


def changed(amount: str, word: str, *, is_bound: bool) -> str:
    """ "4.7x fewer", "at least 4.7x fewer". `word`: one that a `Kind` has for less or more."""
    return _((_CHANGED_AT_LEAST if is_bound else _CHANGED)[word]) % {"amount": amount}
