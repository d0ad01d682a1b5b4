"""Every metric of several runs side by side: in words, as a bar, and as the change from the first run.

A change is careful about noise and about rounded numbers. Counts are exact, so any difference is one, but not of those
that are rounded. Times vary from run to run: what counts as the same is decided by `judge.grading.sameness`. Numbers of
a run that was stopped at a limit are lower bounds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _, gettext_noop

from judge.grading.measures import Kind, Measure, Place, measures_at
from judge.grading.sameness import is_counted, is_same, noise_of
from web.access.rounding import Rounded, Under
from web.presentation.charts import LogScale
from web.presentation.measures import Measures
from web.presentation.units import count, factor, of_kind, per_cent

AT_LEAST = "\u2265\u00a0"
_LINEAR = frozenset({Kind.TIME, Kind.MEMORY})
_VISIBLE = 0.4  # per cent: what is there at all is drawn at least this wide
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
    """From `a` to `b`. `direction` is "less", "more", "same", "untold" or "other" (neither is better), for colours."""

    words: str
    direction: str
    interval: str = ""  # of repeated runs, in which range it lies


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """One number of one side. `change`: from the first side, which has None; `width`: of its bar, per cent."""

    letter: str
    words: str
    change: Change | None
    width: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Metric:
    """One number of every side. The bars of a metric share one scale, which begins at 0."""

    measure: Measure
    readings: list[Reading]

    @property
    def label(self) -> str:
        return _(self.measure.label)

    @property
    def is_logarithmic(self) -> bool:
        return self.measure.kind not in _LINEAR

    @property
    def is_pictured(self) -> bool:
        return Place.COMPARISON_PICTURE in self.measure.places


def metrics(letters: Sequence[str], runs: Sequence[Measures]) -> list[Metric]:
    """Return every metric of the runs, which have these letters; changes are from the first run."""
    rows = []
    for measure in measures_at(Place.COMPARISON):
        values = [run.value(measure) for run in runs]
        bounds = [measure.mean_of is None and run.is_stopped for run in runs]  # of a stopped run a mean is no bound
        largest = max((value for value in values if value is not None), default=0)
        readings = [
            Reading(
                letter=letter,
                words=at_least(of_kind(measure.kind, value), value, is_bound=is_bound),
                change=None
                if place == 0
                else change(values[0], value, measure.kind, a_stopped=bounds[0], b_stopped=is_bound),
                width=_width(value, largest, measure.kind) if value else 0,
            )
            for place, (letter, value, is_bound) in enumerate(zip(letters, values, bounds, strict=True))
        ]
        rows.append(Metric(measure=measure, readings=readings))
    return rows


def _width(value: float, largest: float, kind: Kind) -> float:
    width = 100 * value / largest if kind in _LINEAR else LogScale(largest=largest).x(value)
    return max(_VISIBLE, round(width, 2))


def at_least(words: str, value: float | None, *, is_bound: bool) -> str:
    """Return a value in words; with a sign that it may be more if the run was stopped, and if any number is shown."""
    return AT_LEAST + words if is_bound and value is not None and not isinstance(value, Under) else words
