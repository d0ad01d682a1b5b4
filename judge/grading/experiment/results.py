"""The results of an experiment: a cell per variant and destination, with medians and intervals; the machine.

A median of one cell lies between two of the ordered runs, by the binomial distribution. With fewer than six runs the
interval is the whole range, which holds the median with 94 % (five runs), 88 (four), 75 (three), 50 (two). Ratios have
intervals too: `judge.grading.sameness`.

Source: M. Hollander, D. A. Wolfe, E. Chicken, Nonparametric Statistical Methods, 3rd edition, 3.4 to 3.6.
"""

import math
import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from judge.grading.case_ending import CaseEnding
from judge.grading.compile_problem import CompileProblem, compile_words
from judge.grading.ending_words import brief
from judge.grading.experiment.spec import COUNTS, METRICS, Claim, ExperimentSpec
from judge.grading.sameness import Difference, difference, is_constant
from judge.grading.verdicts import Verdict
from problems.translation import Sentence
from sandbox.types import Ending, TimelinePoint

SURE_RUNS = 6  # of one cell, from which on the interval of its median holds that with 95 %
_MISS_MEDIAN = 0.05
_CPUINFO = Path("/proc/cpuinfo")
_MODEL_NAME = re.compile(r"^model name[ \t]*:(.*)$", re.MULTILINE)


def describe(cores: tuple[int, ...]) -> dict[str, Any]:
    """Return cores, processor and kernel, and the number of cores that runs were pinned to."""
    model = _MODEL_NAME.search(_CPUINFO.read_text("utf-8", "replace"))  # there is none but on x86
    return {
        "cores": len(os.sched_getaffinity(0)),
        "pinned_to": len(cores),
        "cpu_model": model[1].strip() if model else platform.machine(),
        "kernel": f"{platform.system()} {platform.release().partition('-')[0]}",  # what follows is a build's own
    }


@dataclass(frozen=True, kw_only=True, slots=True)
class RunMeasured:
    """One run of one variant. `numbers` has every name of `spec.METRICS` that was counted when it was made."""

    variant: str
    destination: str
    round: int  # from 0
    ending: str  # a value of sandbox.types.Ending
    verdict: str  # where the output was checked; else "": it ended well, or what the ending makes it
    numbers: Mapping[str, int]
    end: CaseEnding | None = None  # of a hidden case as it may be shown; None: it ended well
    is_disturbed: bool = False  # the machine, or a part of it, stood still meanwhile
    timeline: tuple[TimelinePoint, ...] = ()

    @property
    def detail(self) -> str:
        """The end in English, for files."""
        note = "the machine, or a part of it, stood still during this run" if self.is_disturbed else ""
        return "; ".join(part for part in (self.end and brief(self.end), note) if part)


@dataclass(frozen=True, kw_only=True, slots=True)
class VariantFailed:
    """A variant that does not compile and takes no part. `message` is the compiler's; `problem` is what it lacks."""

    variant: str
    message: str
    problem: CompileProblem | None = None

    @property
    def words(self) -> Sentence:
        """The problem and the compiler's message, one below the other."""
        return compile_words(self.problem, self.message)


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """One metric of one cell. The median of all possible runs lies in low..high with at least 95 % confidence.

    With fewer than six runs low..high is all that was measured, and the confidence is less: see the module.
    """

    median: float
    low: float
    high: float
    runs: int
    is_exact: bool  # it is a count of the program's own, and every one of several runs had the same


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """The result of one variant under one destination."""

    variant: str
    destination: str
    estimates: Mapping[str, Estimate]  # by metric
    endings: tuple[str, ...]  # that occurred, without repetition
    verdicts: tuple[str, ...]
    timeline: tuple[TimelinePoint, ...]  # of the run in the middle by wall time


class Outcome(StrEnum):
    """The outcome of a claim."""

    REPRODUCED = "reproduced"
    REVERSED = "reversed"
    NOISE = "no difference that can be told from noise"
    MISSING = "not measured"


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaimTested:
    """A claim with its measurement."""

    claim: Claim
    outcome: Outcome
    difference: Difference | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Results:
    """All results. Cells by variant in the spec's order, then by destination."""

    cells: tuple[Cell, ...]
    claims: tuple[ClaimTested, ...]
    failed: tuple[VariantFailed, ...]


_CellRuns = Sequence[RunMeasured]


def summarise(spec: ExperimentSpec, runs: Iterable[RunMeasured], failed: Iterable[VariantFailed]) -> Results:
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
    """Return what became of a claim.

    A run that a limit stopped has at least what was measured; one that crashed says nothing. So with a stopped side the
    claim is decided only where that side has more all the same.
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
