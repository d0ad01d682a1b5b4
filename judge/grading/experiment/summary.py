"""Summarise repeated runs: medians with intervals, ratios with intervals (`judge.grading.sameness`), claims.

A median of one cell lies between two of the ordered runs, by the binomial distribution. With fewer than six runs the
interval is the whole range, which holds the median with 94 % (five runs), 88 (four), 75 (three), 50 (two).

Source: M. Hollander, D. A. Wolfe, E. Chicken, Nonparametric Statistical Methods, 3rd edition, 3.4 to 3.6.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from statistics import median

from judge.grading.experiment.results import Cell, ClaimTested, Estimate, Outcome, Results, RunMeasured
from judge.grading.experiment.results import VariantFailed as Failed
from judge.grading.experiment.spec import COUNTS, METRICS, Claim, ExperimentSpec
from judge.grading.sameness import difference, is_constant
from judge.grading.verdicts import Verdict
from sandbox.types import Ending

SURE_RUNS = 6  # of one cell, from which on the interval of its median holds that with 95 %
_MISS_MEDIAN = 0.05

_CellRuns = Sequence[RunMeasured]


def summarise(spec: ExperimentSpec, runs: Iterable[RunMeasured], failed: Iterable[Failed]) -> Results:
    """Summarise the runs so far. Cells without a run are left out; a claim about such a cell is MISSING."""
    by_cell: dict[tuple[str, str], list[RunMeasured]] = {
        (variant.name, destination): [] for variant in spec.variants for destination in spec.destinations
    }
    for run in runs:
        by_cell[run.variant, run.destination].append(run)
    return Results(
        cells=tuple(_cell(runs) for runs in by_cell.values() if runs),
        claims=tuple(_tested(claim, by_cell) for claim in spec.claims),
        failed=tuple(failed),
    )


def with_shown_timelines(runs: Sequence[RunMeasured]) -> list[RunMeasured]:
    """Drop the timelines that `summarise` does not show: of each cell only that of the middle run stays."""
    by_cell: dict[tuple[str, str], list[RunMeasured]] = {}
    for run in runs:
        by_cell.setdefault((run.variant, run.destination), []).append(run)
    middle = {id(_middle_run(runs)) for runs in by_cell.values()}
    return [run if id(run) in middle else replace(run, timeline=()) for run in runs]


def estimate(metric: str, values: Sequence[int], *, are_whole: bool = True) -> Estimate:
    """Return the median of one cell; `are_whole`: every run ended by itself, so a count may be exact."""
    ordered = sorted(values)
    place = _median_rank(len(ordered))
    return Estimate(
        median=median(ordered),
        low=ordered[place],
        high=ordered[-1 - place],
        runs=len(ordered),
        is_exact=are_whole and metric in COUNTS and is_constant(values),
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
    """Return what became of a claim. A run that a limit stopped has at least what was measured, a crashed one nothing.

    So with a stopped side the claim is decided only where that side has more all the same.
    """
    more = by_cell[claim.more, claim.destination]
    less = by_cell[claim.less, claim.less_destination or claim.destination]
    if not more or not less or _has_crashed(more) or _has_crashed(less):
        return ClaimTested(claim=claim, outcome=Outcome.MISSING, difference=None)
    result = difference(
        claim.metric, [run.numbers[claim.metric] for run in more], [run.numbers[claim.metric] for run in less]
    )
    outcome = Outcome.NOISE
    if result.is_told:
        outcome = Outcome.REPRODUCED if result.ratio is None or result.ratio > 1 else Outcome.REVERSED
    has_more = {Outcome.REPRODUCED: more, Outcome.REVERSED: less}.get(outcome)
    if any(not _are_whole(side) for side in (more, less) if side is not has_more):
        return ClaimTested(claim=claim, outcome=Outcome.MISSING, difference=None)
    return ClaimTested(claim=claim, outcome=outcome, difference=result)


def _are_whole(runs: _CellRuns) -> bool:
    return all(run.ending == Ending.EXITED.value for run in runs)


def _has_crashed(runs: _CellRuns) -> bool:
    """Return whether a run crashed or exited with a code other than 0: it did not do its work, whatever it took."""
    return any(run.verdict == Verdict.RE for run in runs)


@cache
def _median_rank(runs: int) -> int:
    """Return how many of the ordered runs lie outside the median's interval at either end."""
    place, outside = 0, 1
    while True:
        outside += math.comb(runs, place + 1)
        if place + 1 > (runs - 1) // 2 or 2 * outside / 2**runs > _MISS_MEDIAN:
            return place
        place += 1
