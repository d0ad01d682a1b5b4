"""Compute the time limit from the jury's submissions, and its distance from the nearest of them.

The slowest of those that must be in time, times `TimeRule.ac_to_time_limit`, rounded up to the resolution. One may have
to be in time on some cases only, and too slow on others. What an interactive program does after the interactor has
rejected it and left has no part in it. Those that must be too slow have to use more than the limit times
`TimeRule.time_limit_to_tle`; how much more is not measured, since they are stopped there.

Source: "Problem timing" and "Timelimit inference" of the ICPC/Kattis problem package format 2025-09.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from judge.grading.events import CaseJudged
from judge.grading.verdicts import Verdict
from problems.jury.expectations import matches
from problems.package import JurySubmission, TimeRule

GENEROUS_MS = 20_000  # the limit under which the accepted ones run as long as there is none
_LOWER, _UPPER = "lower", "upper"
_USUAL_OVERRUN_PERCENT = 20
_MOST_OVERRUN_PERCENT = 180  # the wall limit is three times the time limit


@dataclass(frozen=True, kw_only=True, slots=True)
class Timed:
    """The slowest case of a jury submission. Without `is_measured` the wall limit ended it at an unknown time."""

    name: str
    language: str
    cpu_time_us: int
    is_measured: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """The basis of a time limit, with the submissions nearest to it; None: there is none on that side."""

    rule: TimeRule | None = None
    slowest_in_time: Timed | None = None
    fastest_too_slow: Timed | None = None
    in_time_factor: float | None = None  # the limit by the slowest accepted one
    too_slow_factor: float | None = None  # the fastest too slow one by the limit: at least, since it was stopped
    by_language: tuple[Timed, ...] = ()  # the slowest of those that must be in time, the slowest language first
    excluded: tuple[str, ...] = ()

    @property
    def rounded(self) -> "Calibration":
        """What a report keeps of it."""
        in_time, too_slow = self.in_time_factor, self.too_slow_factor
        return replace(
            self, in_time_factor=in_time and round(in_time, 3), too_slow_factor=too_slow and round(too_slow, 3)
        )


def parts_in_time(submission: JurySubmission) -> tuple[str, ...]:
    """Return patterns of the cases whose time must be below the limit; "" stands for all."""
    if submission.time_limit_bound == _LOWER:
        return ("",)
    return tuple(part.cases for part in submission.expectations if part.time_limit_bound == _LOWER)


def binding(submission: JurySubmission, cases: Iterable[CaseJudged]) -> list[CaseJudged]:
    """Return the cases whose time must be below the limit."""
    parts = parts_in_time(submission)
    return [
        case
        for case in cases
        if any(not part or matches(part, case.name) for part in parts)
        and not (case.verdict is Verdict.WA and case.partner is not None and case.partner.ended_first)
    ]


def must_be_too_slow(submission: JurySubmission) -> bool:
    """Return whether the submission's time must be above the limit."""
    return submission.time_limit_bound == _UPPER


def found_limit_ms(slowest_us: int, rule: TimeRule) -> int:
    """Return the least multiple of the resolution that leaves the slowest accepted submission its margin."""
    steps = math.ceil(slowest_us * rule.ac_to_time_limit / 1_000 / rule.resolution_ms - 1e-9)
    return max(1, steps) * rule.resolution_ms


def slowest(timed: Iterable[Timed]) -> Timed | None:
    """Return the slowest one, the first by name of equal ones; None if there is none."""
    return max(timed, key=lambda run: (run.cpu_time_us, run.name), default=None)


def calibration_of(
    limit_ms: int, rule: TimeRule, in_time: Sequence[Timed], too_slow: Iterable[Timed], excluded: tuple[str, ...] = ()
) -> Calibration:
    """Return the distances of the limit to both sides."""
    below = slowest(in_time)
    above = min((run for run in too_slow if run.is_measured), key=lambda run: run.cpu_time_us, default=None)
    limit_us = limit_ms * 1_000
    of_language: dict[str, Timed] = {}
    for run in sorted(in_time, key=lambda run: -run.cpu_time_us):
        of_language.setdefault(run.language, run)
    return Calibration(
        rule=rule,
        slowest_in_time=below,
        fastest_too_slow=above,
        in_time_factor=limit_us / below.cpu_time_us if below and below.cpu_time_us else None,
        too_slow_factor=above.cpu_time_us / limit_us if above else None,
        by_language=tuple(of_language.values()),
        excluded=excluded,
    )


def overrun_percent(rule: TimeRule) -> int:
    """Return how far runs continue past the limit, to show whether they exceed the required margin."""
    percent = math.ceil((rule.time_limit_to_tle - 1) * 100) + 1
    return min(max(percent, _USUAL_OVERRUN_PERCENT), _MOST_OVERRUN_PERCENT)


def visible_margin(rule: TimeRule) -> float:
    """Return the required multiple of the limit, capped: runs do not continue longer than that shows."""
    return min(rule.time_limit_to_tle, 1 + overrun_percent(rule) / 100)


def is_over_margin(cpu_time_us: int, verdict: Verdict, limit_ms: int, rule: TimeRule) -> bool:
    """Return whether a case is too slow by the required margin, as far as its run was continued."""
    return verdict is Verdict.TLE and cpu_time_us >= limit_ms * 1_000 * visible_margin(rule)
