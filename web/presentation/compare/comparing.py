"""Two or more submissions to one problem side by side: cases matched by name, every metric against the first."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from judge.grading.verdicts import Verdict
from judge.models import Submission, TestCaseResult
from web.access.rounding import EXACT
from web.access.visibility import Visibility
from web.presentation.charts import LogScale, Tick, TimeBar, TimeScale, time_scale
from web.presentation.compare.metrics import Change, Metric, metrics
from web.presentation.measures import Measures, measures_of, total_of
from web.presentation.result.sentences import expired_note
from web.presentation.units import points

LETTERS = "ABCDEF"


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """One submission. `total` sums its matched cases, None without any; `stopped` counts those stopped at a limit.

    `counted`: the last of its cases, of those whose numbers this reader may see, for which its lines were counted.
    """

    letter: str
    submission: Submission
    total: Measures | None
    stopped: int
    counted: TestCaseResult | None

    @property
    def is_first(self) -> bool:
        """Return whether the others are compared with it."""
        return self.letter == LETTERS[0]


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseRun:
    """One side's run of one case. The bars of all share one scale, those of writes a logarithmic one."""

    letter: str
    verdict: Verdict
    measures: Measures
    bar: TimeBar
    limit_ms: int
    writes_width: float
    cpu_change: Change | None
    write_change: Change | None


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchedCase:
    """One test case that was judged in every side."""

    name: str
    runs: list[CaseRun]
    metrics: list[Metric]

    @property
    def slowest_us(self) -> int:
        """The most CPU time that any side used on it."""
        return max(run.measures["cpu_time_us"] for run in self.runs)


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupScore:
    """One side's points in a group. `gain` is the difference from the first side, which has None."""

    letter: str
    words: str
    gain: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchedGroup:
    """The points of one test group in every side."""

    name: str
    scores: list[GroupScore]


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """Submissions compared, in their order."""

    sides: list[Side]
    cases: list[MatchedCase]
    groups: list[MatchedGroup]
    unmatched: dict[str, list[str]]  # letters of the sides that were judged on them ("A and B") -> names of cases
    metrics: list[Metric]  # of all matched cases together
    scale: TimeScale
    write_ticks: list[Tick]
    is_exact: bool
    is_restricted: bool  # the problem hides secret cases from this reader
    expired: list[tuple[str, str]]  # letters of the sides whose results were deleted by age, with what to say of it

    @property
    def is_same_version(self) -> bool:
        return len({side.submission.problem_version_id for side in self.sides}) == 1

    @property
    def pictures(self) -> list[Metric]:
        return [metric for metric in self.metrics if metric.is_pictured]


def compare_submissions(submissions: Sequence[Submission], visibility: Visibility) -> Comparison:
    """Compare submissions to the same problem, on the cases whose numbers this reader may see."""
    letters = LETTERS[: len(submissions)]
    results = [_results(submission, visibility) for submission in submissions]
    of_hidden = [visibility.rounding_of_hidden(submission.problem_version) for submission in submissions]
    rows = {
        name: [
            measures_of(side[name], visibility.rounding_of(side[name], submission.problem_version))
            for side, submission in zip(results, submissions, strict=True)
        ]
        for name in results[0]
        if all(name in side for side in results)
    }
    sides = []
    for place, (letter, submission) in enumerate(zip(letters, submissions, strict=True)):
        matched = [results[place][name] for name in rows]
        rounding = EXACT if all(result.is_sample for result in matched) else of_hidden[place]
        total = total_of(matched, rounding) if matched else None
        stopped = sum(row[place].is_stopped for row in rows.values())
        counted = [result for result in results[place].values() if result.counted_work]
        last = counted[-1] if counted else None
        sides.append(Side(letter=letter, submission=submission, total=total, stopped=stopped, counted=last))
    runs = [run for row in rows.values() for run in row]
    limit_us = max(submission.problem_version.time_limit_ms for submission in submissions) * 1_000
    times = time_scale((run.times for run in runs), limit_us)
    writes = LogScale(largest=max((run["write_calls"] for run in runs), default=1))
    return Comparison(
        sides=sides,
        cases=[_case(sides, [side[name] for side in results], row, times, writes) for name, row in rows.items()],
        groups=_groups(sides),
        unmatched=_unmatched(letters, results),
        metrics=metrics(letters, [side.total for side in sides if side.total]) if rows else [],
        scale=times,
        write_ticks=writes.ticks(),
        is_exact=all(
            rounding.is_exact or all(result.is_sample for result in side.values())
            for side, rounding in zip(results, of_hidden, strict=True)
        ),
        is_restricted=visibility.is_restricted,
        expired=[
            (side.letter, note)
            for side, of_side in zip(sides, results, strict=True)
            if not of_side and (note := expired_note(side.submission))
        ],
    )


def _results(submission: Submission, visibility: Visibility) -> dict[str, TestCaseResult]:
    """Return the results that this reader may see, by the names of their cases."""
    results = submission.results.filter(attempt=submission.attempt).order_by("position")
    return {result.name: result for result in results if visibility.sees_numbers(result)}


def _case(
    sides: list[Side], results: list[TestCaseResult], row: list[Measures], times: TimeScale, writes: LogScale
) -> MatchedCase:
    every = metrics([side.letter for side in sides], row)
    readings = {metric.measure.name: metric.readings for metric in every}
    runs = [
        CaseRun(
            letter=side.letter,
            verdict=Verdict(result.verdict),
            measures=run,
            bar=times.bar(run.times),
            limit_ms=side.submission.problem_version.time_limit_ms,
            writes_width=writes.x(run["write_calls"]),
            cpu_change=readings["cpu_time_us"][place].change,
            write_change=readings["write_calls"][place].change,
        )
        for place, (side, result, run) in enumerate(zip(sides, results, row, strict=True))
    ]
    return MatchedCase(name=results[0].name, runs=runs, metrics=every)


def _groups(sides: list[Side]) -> list[MatchedGroup]:
    """Return the groups of the first side in their order, then those that only later ones have."""
    scores = [{group.name: group.score for group in side.submission.groups} for side in sides]
    groups = []
    for name in dict.fromkeys(name for side in scores for name in side):
        first = scores[0].get(name) or 0
        row = [
            GroupScore(
                letter=side.letter,
                words=points(score.get(name)),
                gain=None if side.is_first else (score.get(name) or 0) - first,
            )
            for side, score in zip(sides, scores, strict=True)
        ]
        groups.append(MatchedGroup(name=name, scores=row))
    return groups


def _unmatched(letters: str, results: list[dict[str, TestCaseResult]]) -> dict[str, list[str]]:
    """Return the cases that only some sides were judged on, grouped by these sides."""
    names: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for side in results for name in side):
        there = [letter for letter, side in zip(letters, results, strict=True) if name in side]
        if len(there) < len(letters):
            names.setdefault(listed(there), []).append(name)
    return names


def listed(words: Sequence[str]) -> str:
    """ "A", "A and B", "A, B and C"."""
    if len(words) < 2:
        return "".join(words)
    return _("%(words)s and %(last)s") % {"words": ", ".join(words[:-1]), "last": words[-1]}
