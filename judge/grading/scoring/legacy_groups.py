"""Score legacy test groups by the rules of the format's default grader, group by group from the bottom.

A group whose points are out of its range is the package's fault. A part that was not run gives nothing to a group that
is not accepted, also to an average or a minimum, so that breaking off raises no points; the reference grader leaves
such parts out, but Kattis drops the points of what is not accepted. Of an accepted group they are left out here too.
In DOMjudge's dialect a folder of cases has its accept_score once, if all of them are accepted
(`problems.groups.dialects`).

Source: "Test data groups" and "Default grader specification" of the legacy package format.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from judge.grading.events import Judged
from judge.grading.verdicts import Verdict
from problems.groups.points import aggregate, at_least, at_most, exact, graded_parts, is_given_once, scored_parts
from problems.package import PackageError
from problems.testgroups import Grading, TestGroup
from problems.translation import Sentence


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """The result of a group or a case."""

    verdict: Verdict
    points: Fraction


def grade_group(group: TestGroup, judged: Judged) -> Result | None:
    """Return the result of a group; None if no case of it ran. Raises PackageError for points out of range."""
    rule = group.rule
    assert isinstance(rule, Grading), "the groups of a package are of one format"
    parts = graded_parts(group)
    of_parts = [result_of(part, rule, judged) for part in parts]
    results = [result for result in of_parts if result is not None]
    if not results:
        return None
    verdict = _aggregate_verdict(rule, [result.verdict for result in results])
    scored = scored_parts(group)
    counted = [result for part, result in zip(parts, of_parts, strict=True) if part in scored]
    not_run = [] if verdict is Verdict.AC else [Fraction(0)] * counted.count(None)
    points = aggregate(rule.score, [*(result.points for result in counted if result is not None), *not_run])
    cases = [judged[part] for part in group.parts if isinstance(part, str) and part in judged]
    if is_given_once(group) and all(case.score is None for case in cases):
        points = exact(rule.accept_score) if None not in of_parts and verdict is Verdict.AC else Fraction(0)
    # in range where only rounding made them leave it
    points = at_most(points, exact(rule.most)) if math.isfinite(rule.most) else points
    points = at_least(points, exact(rule.least)) if math.isfinite(rule.least) else points
    # a rejected group may have too few: its verdict voids them, or its parent takes them as is
    is_too_few = math.isfinite(rule.least) and points < exact(rule.least) and verdict is Verdict.AC
    if is_too_few or (math.isfinite(rule.most) and points > exact(rule.most)):
        words = {"points": f"{float(points):g}", "least": f"{rule.least:g}", "most": f"{rule.most:g}"}
        why = Sentence("%(points)s points are outside %(least)s to %(most)s", **words)
        raise PackageError(f"data/{group.name}/testdata.yaml", "range", why)
    return Result(verdict=verdict, points=points)


def result_of(part: TestGroup | str, rule: Grading, judged: Judged) -> Result | None:
    """Return the result of a part of a group with this rule. Raises PackageError."""
    if isinstance(part, TestGroup):
        return grade_group(part, judged)
    case = judged.get(part)
    if case is None:
        return None
    if case.verdict is not Verdict.AC:
        return Result(verdict=case.verdict, points=exact(rule.reject_score))
    points = rule.accept_score if case.score is None else case.score
    if not math.isfinite(points):
        raise PackageError("score.txt", part, Sentence("must be a finite number, not %(points)s", points=f"{points:g}"))
    return Result(verdict=case.verdict, points=exact(points))


def _aggregate_verdict(rule: Grading, verdicts: list[Verdict]) -> Verdict:
    if rule.verdict == "always_accept" or (rule.accepts_if_any and Verdict.AC in verdicts):
        return Verdict.AC
    rejected = [verdict for verdict in verdicts if verdict is not Verdict.AC]
    if not rejected:
        return Verdict.AC
    return rejected[0] if rule.verdict == "first_error" else max(rejected, key=lambda verdict: verdict.record.severity)
