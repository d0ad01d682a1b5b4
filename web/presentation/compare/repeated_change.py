"""The change from one program's repeated runs to another's: careful about noise, rounding, limits and crashes."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from judge.grading.experiment.results import RunMeasured
from judge.grading.measures import BY_NAME
from judge.grading.sameness import Difference
from judge.grading.verdicts import Verdict
from web.presentation.compare.change import SAME, SAME_ROUNDED, TIMES_FROM, UNTOLD, Change, changed
from web.presentation.experiments.metrics import between_ends, was_stopped
from web.presentation.experiments.visibility import RunVisibility, has_bound, looks_same, seen_difference
from web.presentation.units import factor, per_cent

NOISE = gettext_noop("no difference that can be told from noise")
Runs = Sequence[RunMeasured]


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
    in_times = max(difference.ratio, 1 / difference.ratio) >= TIMES_FROM

    def worded(ratio: float) -> str:
        share = 100 * abs(ratio - 1)
        return factor(max(ratio, 1 / ratio), 1) if in_times else per_cent(f"{share:{'.0f' if share >= 1 else '.1g'}}")

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
