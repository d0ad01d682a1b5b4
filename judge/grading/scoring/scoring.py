"""Compute verdict and points from test groups and judged cases. Pure: no file, no clock.

Points are exact fractions until they leave, so that ten tenths are one. Legacy groups:
`judge.grading.scoring.legacy_groups`; which cases are run: `judge.grading.scoring.case_order`.

In the format 2025-09 the points of a case are its share of the group's maximum, or what the checker gave (score.txt),
or that part of the share which it gave (score_multiplier.txt). A group sums them, takes the least, or gives all or
nothing. What the format calls a judge error is a PackageError here. Source: "Result aggregation" of that format.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from judge.grading.events import CaseJudged, GroupJudged, Judged
from judge.grading.scoring.case_order import is_accepted
from judge.grading.scoring.legacy_groups import grade_group
from judge.grading.verdicts import Verdict
from problems.groups.points import ONLY_ACCEPTED, ScoringRules, aggregate, at_most, exact, names_below
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
