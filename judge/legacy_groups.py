"""What legacy test groups come to: the rules of the format's default grader, group by group from the bottom.

A group whose points are out of its range is the package's fault. A part that was not run gives nothing, also to an
average or a minimum, so that breaking off raises no points; the reference grader leaves such parts out, which tells
only in groups that are not accepted, whose points Kattis drops.

Source: "Test data groups" and "Default grader specification" of the legacy package format.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from judge.events import Judged
from judge.verdicts import Verdict
from problems.package import PackageError
from problems.points import aggregate, exact, graded_parts
from problems.testgroups import Grading, TestGroup

_WORST_FIRST = (Verdict.JE, Verdict.RE, Verdict.MLE, Verdict.TLE, Verdict.OLE, Verdict.WA, Verdict.AC)


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """What a group or a case came to."""

    verdict: Verdict
    points: Fraction


def grade_group(group: TestGroup, judged: Judged) -> Result | None:
    """What a group came to; None when nothing of it was run. Raises PackageError for points out of range."""
    rule = group.rule
    assert isinstance(rule, Grading), "the groups of a package are of one format"
    found = [result_of(part, rule, judged) for part in graded_parts(group)]
    results = [result for result in found if result is not None]
    if not results:
        return None
    graded = Result(
        verdict=_aggregate_verdict(rule, [result.verdict for result in results]),
        points=aggregate(rule.score, [result.points if result else Fraction(0) for result in found]),
    )
    _check_range(group, rule, graded)
    return graded


def result_of(part: TestGroup | str, rule: Grading, judged: Judged) -> Result | None:
    """What a part of a group with this rule came to. Raises PackageError."""
    if isinstance(part, TestGroup):
        return grade_group(part, judged)
    case = judged.get(part)
    if case is None:
        return None
    if case.verdict is not Verdict.AC:
        return Result(verdict=case.verdict, points=exact(rule.reject_score))
    points = rule.accept_score if case.score is None else case.score
    if not math.isfinite(points):
        raise PackageError("score.txt", part, f"must be a finite number, not {points}")
    return Result(verdict=case.verdict, points=exact(points))


def _aggregate_verdict(rule: Grading, verdicts: list[Verdict]) -> Verdict:
    if rule.verdict == "always_accept" or (rule.accepts_if_any and Verdict.AC in verdicts):
        return Verdict.AC
    rejected = [verdict for verdict in verdicts if verdict is not Verdict.AC]
    if not rejected:
        return Verdict.AC
    return rejected[0] if rule.verdict == "first_error" else min(rejected, key=_WORST_FIRST.index)


def _check_range(group: TestGroup, rule: Grading, graded: Result) -> None:
    """Points of a rejected group may be too few: its verdict makes them void, or its parent takes them as they are."""
    is_too_few = graded.verdict is Verdict.AC and graded.points < rule.least
    if is_too_few or graded.points > rule.most:
        words = f"{float(graded.points):g} points are outside {rule.least:g} to {rule.most:g}"
        raise PackageError(f"data/{group.name}/testdata.yaml", "range", words)
