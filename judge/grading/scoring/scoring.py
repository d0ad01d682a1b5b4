"""Compute verdict and points from test groups and judged cases. Pure: no file, no clock.

Points are exact fractions until they leave, so that ten tenths are one. Which cases are run:
`judge.grading.scoring.case_order`.

In the format 2025-09 the points of a case are its share of the group's maximum, or what the checker gave (score.txt),
or that part of the share which it gave (score_multiplier.txt). A group sums them, takes the least, or gives all or
nothing. What the format calls a judge error is a PackageError here.

Legacy groups have the rules of the format's default grader, group by group from the bottom. A group whose points are
out of its range is the package's fault. A part that was not run gives nothing to a group that is not accepted, also to
an average or a minimum, so that breaking off raises no points; the reference grader leaves such parts out, but Kattis
drops the points of what is not accepted. Of an accepted group they are left out here too. In DOMjudge's dialect a
folder of cases has its accept_score once, if all of them are accepted (`problems.groups.dialects`).

Source: "Result aggregation" of the format 2025-09; "Test data groups" and "Default grader specification" of the legacy
format.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from judge.grading.events import CaseJudged, GroupJudged, Judged
from judge.grading.verdicts import Verdict
from problems.groups.points import (
    ONLY_ACCEPTED,
    ScoringRules,
    aggregate,
    at_least,
    at_most,
    exact,
    graded_parts,
    is_given_once,
    names_below,
    scored_parts,
)
from problems.package import PackageError
from problems.testgroups import Grading, Points, TestGroup
from problems.translation import Sentence

_ALL_OR_NOTHING = "pass-fail"


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored:
    """A submission's score. `groups` are those that people see, in order."""

    verdict: Verdict
    score: float
    max_score: float | None
    groups: tuple[GroupJudged, ...]
    is_forfeited: bool = False  # the groups' points do not count, since the submission is not accepted


def score(rules: ScoringRules, judged: Judged) -> Scored:
    """Return verdict and points. No case may be a judge error. Raises PackageError for points the package forbids."""
    if isinstance(rules.root.rule, Grading):
        root = grade_group(rules.root, judged)
        counted = root if rules.counted is rules.root else grade_group(rules.secret, judged)
        verdict = root.verdict if root else Verdict.WA
        points = counted.points if counted else Fraction(0)
    else:
        names = list(names_below(rules.secret))
        failed = first_failure(names, judged)
        if failed is None and not all(name in judged for name in names):
            failed = first_failure(list(judged), judged)  # a sample's
        verdict, points = failed or Verdict.AC, points_of(rules.secret, judged)
    is_forfeited = rules.policy == ONLY_ACCEPTED and verdict is not Verdict.AC
    return Scored(
        verdict=verdict,
        score=0.0 if is_forfeited else float(points),
        max_score=rules.most_of(rules.counted),
        groups=tuple(_group_judged(group, rules, judged) for group in rules.shown),
        is_forfeited=is_forfeited,
    )


def _group_judged(group: TestGroup, rules: ScoringRules, judged: Judged) -> GroupJudged:
    names = list(names_below(group))
    verdict: Verdict | None
    if isinstance(group.rule, Grading):
        result = grade_group(group, judged)
        verdict, points = (result.verdict, result.points) if result else (None, Fraction(0))
    else:
        has_run = any(name in judged for name in names)
        verdict = (first_failure(names, judged) or Verdict.AC) if has_run else None
        points = points_of(group, judged)
    return GroupJudged(
        name=group.name,
        verdict=verdict,
        score=float(points),
        max_score=rules.most_of(group),
        cases=len(names),
        accepted=sum(is_accepted(name, judged) for name in names),
    )


def points_of(group: TestGroup, judged: Judged) -> Fraction:
    """Return the points of secret or a group in it. Raises PackageError for points that the format forbids."""
    rule = _points_rule(group)
    share: Fraction | None = None  # the maximum of a case directly in the group; None: unbounded
    if rule.max_score is not None:
        cases = sum(isinstance(part, str) for part in group.parts)
        share = exact(rule.max_score) / (cases if rule.aggregation == "sum" and cases else 1)
    parts = [
        points_of(part, judged) if isinstance(part, TestGroup) else _case_points(part, group, share, judged)
        for part in group.parts
    ]
    if rule.aggregation == _ALL_OR_NOTHING:
        is_right = all(is_accepted(name, judged) for name in names_below(group))
        points = exact(rule.max_score or 0) if is_right else Fraction(0)
    else:
        points = aggregate(rule.aggregation, parts)
    if rule.max_score is None:
        return points
    points = at_most(points, exact(rule.max_score))
    if points > exact(rule.max_score):
        words = {"points": f"{float(points):g}", "most": f"{rule.max_score:g}"}
        why = Sentence("%(points)s points are more than the %(most)s that it can give", **words)
        raise PackageError(f"data/{group.name}/test_group.yaml", "max_score", why)
    return points


def _case_points(name: str, group: TestGroup, share: Fraction | None, judged: Judged) -> Fraction:
    """Return the points of one secret case; `share` None: unbounded."""
    case = judged.get(name)
    if case is None:
        return Fraction(0)
    if wrong := _score_problem(case, _points_rule(group), share):
        raise PackageError("output_validator", name, wrong)
    if case.verdict is not Verdict.AC or _points_rule(group).aggregation == _ALL_OR_NOTHING:
        return Fraction(0)
    if case.multiplier is not None and share is not None:
        return share * exact(case.multiplier)
    if case.score is None:
        return share or Fraction(0)
    return exact(case.score) if share is None else at_most(exact(case.score), share)


def _score_problem(case: CaseJudged, rule: Points, share: Fraction | None) -> Sentence | None:
    """Return the error in the checker's points ("Scoring test cases"); None for none."""
    numbers = [number for number in (case.score, case.multiplier) if number is not None]
    if case.verdict is not Verdict.AC:
        return Sentence("gives points to an output that it does not accept") if numbers else None
    if rule.aggregation == _ALL_OR_NOTHING:
        return Sentence("gives points to a test case of a group that is pass-fail") if numbers else None
    if len(numbers) > 1:
        return Sentence("gives both score.txt and score_multiplier.txt")
    if any(not math.isfinite(number) or number < 0 for number in numbers):
        return Sentence("must give a finite number that is not negative, not %(number)s", number=f"{numbers[0]:g}")
    if share is None:
        why = Sentence("must write score.txt: the group's max_score is unbounded")
        return why if case.score is None else None
    if case.multiplier is not None:
        why = Sentence("gives the multiplier %(multiplier)s; it must be at most 1", multiplier=f"{case.multiplier:g}")
        return why if case.multiplier > 1 else None
    if case.score is not None and at_most(exact(case.score), share) > share:
        words = {"points": f"{case.score:g}", "most": f"{float(share):g}"}
        return Sentence("gives %(points)s points, more than the %(most)s of this test case", **words)
    return None


def _points_rule(group: TestGroup) -> Points:
    assert isinstance(group.rule, Points), "the groups of a package are of one format"
    return group.rule


def first_failure(names: list[str], judged: Judged) -> Verdict | None:
    """Return the verdict of the first case that ran and is not accepted; None if there is none."""
    verdicts = (judged[name].verdict for name in names if name in judged)
    return next((verdict for verdict in verdicts if verdict is not Verdict.AC), None)


def is_accepted(name: str, judged: Judged) -> bool:
    """Return whether the case ran and is accepted."""
    return name in judged and judged[name].verdict is Verdict.AC


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
