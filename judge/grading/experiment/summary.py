"""Summarise repeated runs: medians with intervals, ratios with intervals, claims.

How much `a` has of a metric for each of `b`: all the ratios a_i / b_j are put in order. Their median is the estimate
(Hodges and Lehmann's, of a shift of the logarithms), and the interval runs between two of them, found by the exact
distribution of Mann and Whitney's count U: were `a` and `b` alike, it would miss 1 in at most 3 % of all experiments,
whatever the distribution of the noise. So nothing can be told from fewer than four runs of each (complete separation
of 3 and 3 happens by chance in 10 %). Ties widen the interval, never narrow it. Runs are made in turns, the order
turned around in each round: drift of the machine spreads over both and can only hide a difference.

A median of one cell lies between two of the ordered runs, by the binomial distribution. With fewer than six runs the
interval is the whole range, which holds the median with 94 % (five runs), 88 (four), 75 (three), 50 (two).

Two copies of one program differ a little too, by where their pages lie in memory and on disk. So of what is no count a
difference of less than 3 % is not told, however many runs there are.

Source: M. Hollander, D. A. Wolfe, E. Chicken, Nonparametric Statistical Methods, 3rd edition, 3.4 to 3.6 and 4.1 to
4.3; for ties, G. E. Noether, Elements of Nonparametric Statistics, 1967.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from statistics import median

from judge.grading.experiment.results import Cell, ClaimTested, Difference, Estimate, Outcome, Results, RunMeasured
from judge.grading.experiment.results import VariantFailed as Failed
from judge.grading.experiment.spec import COUNTS, METRICS, Claim, ExperimentSpec
from judge.grading.verdicts import Verdict
from sandbox.types import Ending

LEAST_RUNS = 4  # of each side, before anything but a count can be told
SURE_RUNS = 6  # of one cell, from which on the interval of its median holds that with 95 %
_MISS_MEDIAN = 0.05
_MISS_RATIO = 0.03
_LEAST_SHARE = 0.03  # of a ratio, so far from 1

_CellRuns = Sequence[RunMeasured]


def summarise(spec: ExperimentSpec, runs: Iterable[RunMeasured], failed: Iterable[Failed]) -> Results:
    """Summarise the runs so far. Cells without a run are left out; a claim about such a cell is MISSING."""
    by_cell: dict[tuple[str, str], list[RunMeasured]] = {
        (variant.name, destination): [] for variant in spec.variants for destination in spec.destinations
    }
    for run in runs:
        by_cell[run.variant, run.destination].append(run)
    return Results(
        cells=tuple(_cell(found) for found in by_cell.values() if found),
        claims=tuple(_tested(claim, by_cell) for claim in spec.claims),
        failed=tuple(failed),
    )


def with_shown_timelines(runs: Sequence[RunMeasured]) -> list[RunMeasured]:
    """Drop the timelines that `summarise` does not show: of each cell only that of the middle run stays."""
    by_cell: dict[tuple[str, str], list[RunMeasured]] = {}
    for run in runs:
        by_cell.setdefault((run.variant, run.destination), []).append(run)
    shown = {id(_middle_run(found)) for found in by_cell.values()}
    return [run if id(run) in shown else replace(run, timeline=()) for run in runs]


def difference(metric: str, values_a: Sequence[int], values_b: Sequence[int]) -> Difference:
    """Return how many times as much of the metric `a` has as `b`; each has at least one value. See the module."""
    if metric in COUNTS and _is_constant(values_a) and _is_constant(values_b):
        return _exact(metric, values_a[0], values_b[0])
    ratios = sorted(_ratio(a, b) for a in values_a for b in values_b)
    place = _rank(len(values_a), len(values_b))
    low, high = ratios[place], ratios[-1 - place]
    middle = _middle(ratios)
    far = metric in COUNTS or not 1 - _LEAST_SHARE < middle < 1 + _LEAST_SHARE
    is_sure = _miss(len(values_a), len(values_b), place) <= _MISS_RATIO
    return Difference(
        metric=metric,
        ratio=_finite(middle),
        low=_finite(low),
        high=_finite(high),
        is_told=is_sure and far and not low <= 1 <= high,
        is_exact=False,
    )


def estimate(metric: str, values: Sequence[int], *, are_whole: bool = True) -> Estimate:
    """Return the median of one cell; `are_whole`: every run ended by itself, so a count may be exact."""
    ordered = sorted(values)
    place = _median_rank(len(ordered))
    return Estimate(
        median=median(ordered),
        low=ordered[place],
        high=ordered[-1 - place],
        runs=len(ordered),
        is_exact=are_whole and metric in COUNTS and _is_constant(values),
    )


def _cell(runs: _CellRuns) -> Cell:
    return Cell(
        variant=runs[0].variant,
        destination=runs[0].destination,
        estimates={
            metric: estimate(metric, [run.numbers[metric] for run in runs], are_whole=_are_whole(runs))
            for metric in METRICS
            if all(metric in run.numbers for run in runs)  # else it was not counted yet when these were kept
        },
        endings=tuple(dict.fromkeys(run.ending for run in runs)),
        verdicts=tuple(dict.fromkeys(run.verdict for run in runs)),
        timeline=_middle_run(runs).timeline,
    )


def _middle_run(runs: _CellRuns) -> RunMeasured:
    return sorted(runs, key=lambda run: run.numbers["wall_time_us"])[(len(runs) - 1) // 2]


def _tested(claim: Claim, by_cell: dict[tuple[str, str], list[RunMeasured]]) -> ClaimTested:
    """Return what became of a claim. A run that a limit stopped has at least what was measured; one that crashed says
    nothing.

    So with a stopped side the claim is decided only where that side has more all the same.
    """
    more = by_cell[claim.more, claim.destination]
    less = by_cell[claim.less, claim.less_destination or claim.destination]
    if not more or not less or _has_crashed(more) or _has_crashed(less):
        return ClaimTested(claim=claim, outcome=Outcome.MISSING, difference=None)
    found = difference(
        claim.metric, [run.numbers[claim.metric] for run in more], [run.numbers[claim.metric] for run in less]
    )
    outcome = _outcome(found)
    has_more = {Outcome.REPRODUCED: more, Outcome.REVERSED: less}.get(outcome)
    is_open = any(not _are_whole(side) for side in (more, less) if side is not has_more)
    if is_open:
        return ClaimTested(claim=claim, outcome=Outcome.MISSING, difference=None)
    return ClaimTested(claim=claim, outcome=outcome, difference=found)


def _outcome(found: Difference) -> Outcome:
    if not found.is_told:
        return Outcome.NOISE
    return Outcome.REPRODUCED if found.ratio is None or found.ratio > 1 else Outcome.REVERSED


def _are_whole(runs: _CellRuns) -> bool:
    return all(run.ending == Ending.EXITED.value for run in runs)


def _has_crashed(runs: _CellRuns) -> bool:
    """Return whether a run crashed or exited with a code other than 0: it did not do its work, whatever it took."""
    return any(run.verdict == Verdict.RE for run in runs)


def _is_constant(values: Sequence[int]) -> bool:
    return len(values) > 1 and len(set(values)) == 1


def _exact(metric: str, a: int, b: int) -> Difference:
    ratio = _finite(_ratio(a, b))
    return Difference(metric=metric, ratio=ratio, low=ratio, high=ratio, is_told=a != b, is_exact=True)


def _ratio(a: int, b: int) -> float:
    if a == b:
        return 1.0  # nothing and nothing are alike
    return a / b if b else math.inf


def _finite(ratio: float) -> float | None:
    return ratio if math.isfinite(ratio) else None


def _middle(ordered: Sequence[float]) -> float:
    """Return the median; of two in the middle their geometric mean, so that a/b is 1 / (b/a)."""
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    if low == high or math.isinf(high):
        return high
    return math.sqrt(low * high)


@cache
def _rank(runs_a: int, runs_b: int) -> int:
    """Return how many of the ordered ratios lie outside the interval at either end without missing too often."""
    place = 0
    while place < (runs_a * runs_b - 1) // 2 and _miss(runs_a, runs_b, place + 1) <= _MISS_RATIO:
        place += 1
    return place


@cache
def _miss(runs_a: int, runs_b: int, place: int) -> float:
    """Return how often the interval from the ratio at `place` misses: twice the chance of U <= place."""
    counts = _distribution(runs_a, runs_b)
    return min(1.0, 2 * sum(counts[: place + 1]) / math.comb(runs_a + runs_b, runs_a))


@cache
def _distribution(runs_a: int, runs_b: int) -> tuple[int, ...]:
    """Return how many orders of so many runs have U = 0, 1, 2, ...: the coefficients of the Gaussian binomial."""
    counts = [1] + [0] * (runs_a * runs_b)
    for factor in range(1, runs_a + 1):
        for place in range(len(counts) - 1, runs_b + factor - 1, -1):  # times 1 - q^(runs_b + factor)
            counts[place] -= counts[place - runs_b - factor]
        for place in range(factor, len(counts)):  # divided by 1 - q^factor
            counts[place] += counts[place - factor]
    return tuple(counts)


@cache
def _median_rank(runs: int) -> int:
    """Return how many of the ordered runs lie outside the median's interval at either end."""
    place, outside = 0, 1
    while True:
        outside += math.comb(runs, place + 1)
        if place + 1 > (runs - 1) // 2 or 2 * outside / 2**runs > _MISS_MEDIAN:
            return place
        place += 1
