"""Compute verdict and points from test groups and judged cases. Pure: no file, no clock.

Points are exact fractions until they leave, so that ten tenths are one. How a group comes to its points is told by
`judge.grading.scoring.point_groups` (format 2025-09) and `judge.grading.scoring.legacy_groups`; which cases are run, by
`judge.grading.scoring.case_order`.
"""

from dataclasses import dataclass
from fractions import Fraction

from judge.grading.events import GroupJudged, Judged
from judge.grading.scoring.case_order import is_accepted
from judge.grading.scoring.legacy_groups import grade_group
from judge.grading.scoring.point_groups import first_failure, points_of, verdict_of_secret
from judge.grading.verdicts import Verdict
from problems.groups.points import ONLY_ACCEPTED, ScoringRules, names_below
from problems.testgroups import Grading, TestGroup


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
        verdict, points = verdict_of_secret(rules.secret, judged), points_of(rules.secret, judged)
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
