"""The numbers of an experiment in words: cells, how sure their medians are, and the change between repeated runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _, gettext_noop

from judge.grading.experiment.results import Cell, Estimate, RunMeasured
from judge.grading.measures import BY_NAME, Measure
from judge.grading.sameness import Difference
from judge.grading.verdicts import Verdict
from web.access.rounding import mean, significant
from web.presentation.compare.metrics import SAME, SAME_ROUNDED, TIMES_FROM, UNTOLD, Change, at_least, changed
from web.presentation.experiments.visibility import RunVisibility, has_bound, looks_same, seen_difference
from web.presentation.units import factor, of_kind, per_cent, percent, times as in_times

NOISE = gettext_noop("no difference that can be told from noise")
EXACT = gettext_noop("exact")
NOT_TOLD = gettext_noop("not told")
NOT_COMPARED = gettext_noop("not compared")
_SPACE = "\u00a0"  # between a number and its unit
_STOPPED = frozenset(verdict for verdict in Verdict if verdict.record.is_stopped)
_LIMITS = frozenset(ending.value for verdict in _STOPPED for ending in verdict.record.endings)
Runs = Sequence[RunMeasured]


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """One number of one cell: its median in words, and beneath it how sure that is, or its share of something."""

    words: str
    spread: str = ""
    share: str = ""
    is_range: bool = False  # `spread` is the range in which it lies
    is_bound: bool = False  # a run was stopped at a limit


def median_of(cell: Cell, measure: Measure) -> float | None:
    """Return the median of a number; for a mean, the quotient of the medians of its two numbers."""
    if measure.mean_of:
        total, number = (median_of(cell, BY_NAME[name]) for name in measure.mean_of)
        return mean(total, number) if number and total is not None else None
    estimate = cell.estimates.get(measure.name)
    return None if estimate is None else estimate.median


def was_stopped(endings: Iterable[str], verdicts: Iterable[str]) -> bool:
    """Return whether a limit ended any of the runs that ended in these ways: their numbers are lower bounds."""
    return not _LIMITS.isdisjoint(endings) or not _STOPPED.isdisjoint(verdicts)


def median_words(cell: Cell, measure: Measure) -> str:
    """Return the median in words, "at least" if a limit stopped runs, except for a mean."""
    median = median_of(cell, measure)
    return at_least(of_kind(measure.kind, median), median, is_bound=_is_bound(cell, measure))


def _is_bound(cell: Cell, measure: Measure) -> bool:
    return measure.mean_of is None and was_stopped(cell.endings, cell.verdicts)


def reading(cell: Cell, measure: Measure) -> Reading:
    """Return a cell's number for the table."""
    how_sure, share = spread(measure, cell.estimates.get(measure.name)), ""
    if measure.share_of:  # the blocked share of the wall time, or the kernel's share of the CPU time
        whole = BY_NAME[measure.share_of]
        part, total = median_of(cell, measure), median_of(cell, whole)
        if part is not None and total:
            words = {"share": percent(min(1.0, part / total)), "whole": _(whole.label)}
            share = _("%(share)s of %(whole)s") % words
    return Reading(
        words=median_words(cell, measure),
        spread=how_sure,
        share=share,
        is_range=how_sure not in ("", _(EXACT)),
        is_bound=_is_bound(cell, measure),
    )


def spread(measure: Measure, estimate: Estimate | None) -> str:
    """Return the interval of a median in words: "0.21 to 0.24 s", "exact"; nothing if it is too narrow to see."""
    if estimate is None or estimate.runs < 2:
        return ""
    if estimate.is_exact:
        return _(EXACT)
    low, high = of_kind(measure.kind, estimate.low), of_kind(measure.kind, estimate.high)
    if low == high:
        return ""
    number, space, unit = low.rpartition(_SPACE)  # the unit stands once if both ends have the same
    return between_ends(number if space and high.endswith(space + unit) else low, high)


def between_ends(low: str, high: str) -> str:
    """An interval: "4.5x to 4.9x"."""
    return _("%(low)s to %(high)s") % {"low": low, "high": high}


def ratio_reading(name: str, first: Runs, own: Runs, visibility: RunVisibility) -> Reading:
    """Return a metric of a variant relative to the first: "4.7x" with its interval, a bound, or that it is not told."""
    if has_crashed(first) or has_crashed(own):
        return Reading(words=_(NOT_COMPARED))
    values, firsts = values_of(own, name), values_of(first, name)
    is_bound = is_stopped(first) or is_stopped(own)
    if is_bound or has_bound(values) or has_bound(firsts):
        return Reading(words=repeated_change(name, first, own, visibility).words, is_bound=is_bound)
    difference = seen_difference(name, values, firsts, visibility)
    exact = _(EXACT) if difference.is_exact else ""
    if not difference.is_told:
        return Reading(words=_("the same"), spread=exact) if difference.is_exact else Reading(words=_(NOT_TOLD))
    if difference.ratio is None:
        return Reading(words=_("new"), spread=_("the first has none"))
    interval = exact
    if not difference.is_exact and difference.low is not None and difference.high is not None:
        low, high = times(difference.low), times(difference.high)
        interval = "" if low == high else between_ends(low, high)
    return Reading(words=times(difference.ratio), spread=interval, is_range=interval not in ("", exact))


def times(ratio: float) -> str:
    """Return a ratio of any size: "4.7x", near one "1.04x", small ones as "1/1,200"."""
    if ratio <= 0:
        return in_times("0")
    if ratio >= 1.95:
        return factor(ratio, 1)
    return in_times(f"{ratio:.2f}") if ratio >= 0.1 else f"1/{significant(1 / ratio, 2):,}"


def repeated_change(name: str, first: Runs, own: Runs, visibility: RunVisibility) -> Change:
    """Of a metric, from the first program to this one; each has at least one run, as `visibility` lets it be seen."""
    untold = Change(words=_(UNTOLD), direction="untold")
    if has_crashed(first) or has_crashed(own):
        return untold
    values, firsts = values_of(own, name), values_of(first, name)
    change = seen_difference(name, values, firsts, visibility)
    if has_bound(values) and has_bound(firsts):
        return untold
    is_bound = is_stopped(first) or is_stopped(own)
    is_alike = looks_same(values, firsts, visibility)
    if not change.is_told:
        words = SAME if change.is_exact else SAME_ROUNDED if is_alike else NOISE
        return untold if is_bound else Change(words=_(words), direction="same")
    is_less = change.ratio is not None and change.ratio < 1
    if is_stopped(own if is_less else first):
        return untold
    return _told(change, name, is_bound=is_bound or has_bound(values) or has_bound(firsts))


def _told(difference: Difference, name: str, *, is_bound: bool) -> Change:
    """Word a change: "4.7x less" (4.5x to 4.9x), "38 % more" (30 % to 41 %), "at least 4.5x less"."""
    if difference.ratio is None:
        return Change(words=_("new"), direction="more")
    if not difference.ratio:
        return Change(words=_("none any more"), direction="less")
    word, direction = (BY_NAME[name].kind.less, "less") if difference.ratio < 1 else ("more", "more")
    is_in_times = max(difference.ratio, 1 / difference.ratio) >= TIMES_FROM

    def worded(ratio: float) -> str:
        share = 100 * abs(ratio - 1)
        return (
            factor(max(ratio, 1 / ratio), 1) if is_in_times else per_cent(f"{share:{'.0f' if share >= 1 else '.1g'}}")
        )

    small, large = (difference.low, difference.high) if difference.ratio > 1 else (difference.high, difference.low)
    if is_bound:
        return Change(words=changed(worded(small or difference.ratio), word, is_bound=True), direction=direction)
    interval = ""
    if not difference.is_exact and small and large and worded(small) != worded(large):
        interval = between_ends(worded(small), worded(large))
    return Change(words=changed(worded(difference.ratio), word, is_bound=False), direction=direction, interval=interval)


def values_of(runs: Runs, name: str) -> list[int]:
    """Return the metric, run by run."""
    return [run.numbers[name] for run in runs]


def is_stopped(runs: Runs) -> bool:
    """Return whether a limit ended any of them: its numbers are lower bounds."""
    return was_stopped((run.ending for run in runs), (run.verdict for run in runs))


def has_crashed(runs: Runs) -> bool:
    """Return whether any did not do its work, for whatever time it took."""
    return any(run.verdict == Verdict.RE for run in runs)
