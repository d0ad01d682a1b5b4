"""What the groups of a scoring problem can give at most: for its page, and for those who reckon what one got.

Source: "Scoring problems" of the package format 2025-09 (`Points`), "Test data groups" of the legacy one (`Grading`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypedDict

from problems.package import Package
from problems.testgroups import Grading, TestGroup

_SAMPLE, _SECRET = "sample", "secret"
_ROUNDING = Fraction(1, 10**9)  # how far a checker that reckons in binary may be off
ONLY_ACCEPTED = "accepted"  # problems.models.ScorePolicy, without the models


class GroupPoints(TypedDict):
    """A group as a problem's page shows it."""

    name: str
    max_score: float | None  # None: unbounded
    cases: int
    requires: list[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoringRules:
    """How a scoring problem's points are counted."""

    root: TestGroup  # data/
    policy: str = "groups"  # ProblemLimits.score_policy
    has_checker_scores: bool = False  # legacy: the checker may give other points than accept_score

    @property
    def secret(self) -> TestGroup:
        """The group of the secret cases; all of data/ if it has none."""
        return _direct_group(self.root, _SECRET) or self.root

    @property
    def counted(self) -> TestGroup:
        """The group whose points are the submission's: samples give none unless Kattis's policy and format say so."""
        is_whole = isinstance(self.root.rule, Grading) and self.policy == ONLY_ACCEPTED
        return self.root if is_whole else self.secret

    @property
    def shown(self) -> tuple[TestGroup, ...]:
        """The groups that people see: those directly in secret, or secret itself; samples if they give points."""
        groups = tuple(part for part in self.secret.parts if isinstance(part, TestGroup)) or (self.secret,)
        sample = _direct_group(self.root, _SAMPLE)
        if sample is None or self.counted is not self.root or not self.most_of(sample) or _ignores_sample(self.root):
            return groups
        return (sample, *groups)

    def most_of(self, group: TestGroup) -> float | None:
        """The most that a group can give; None: unbounded."""
        rule = group.rule
        if not isinstance(rule, Grading):
            return rule.max_score
        reckoned = None if self.has_checker_scores else self._reckoned(group, rule)
        bounds = [bound for bound in (rule.most, reckoned) if bound is not None and bound != float("inf")]
        return min(bounds) if bounds else None

    def _reckoned(self, group: TestGroup, rule: Grading) -> float | None:
        """What the group gives when every case gives its accept_score; None if a part is unbounded."""
        parts = [rule.accept_score if isinstance(part, str) else self.most_of(part) for part in graded_parts(group)]
        values = [exact(value) for value in parts if value is not None]
        return float(aggregate(rule.score, values)) if len(values) == len(parts) else None


def rules_of(package: Package) -> ScoringRules | None:
    """How the package counts points; None: it is no scoring problem."""
    if package.groups is None:
        return None
    return ScoringRules(
        root=package.groups,
        policy=package.limits.score_policy,
        has_checker_scores=package.has_checker_scores,
    )


def scoring_columns(package: Package) -> dict[str, object]:
    """The columns of `ProblemVersion` that are about points."""
    rules = rules_of(package)
    if rules is None:
        return {"is_scoring": False, "max_score": None, "groups": []}
    return {
        "is_scoring": True,
        "max_score": rules.most_of(rules.counted),
        "groups": [_described(group, rules) for group in rules.shown],
    }


def names_below(group: TestGroup) -> Iterator[str]:
    """The names of all cases of a group and those below it, in order."""
    for part in group.parts:
        if isinstance(part, TestGroup):
            yield from names_below(part)
        else:
            yield part


def graded_parts(group: TestGroup) -> tuple[TestGroup | str, ...]:
    """The parts that make a legacy group's verdict and points."""
    if not _ignores_sample(group):
        return group.parts
    return tuple(part for part in group.parts if not is_sample_group(part))


def is_sample_group(part: TestGroup | str) -> bool:
    """Whether this is data/sample."""
    return isinstance(part, TestGroup) and part.name == _SAMPLE


def exact(number: float) -> Fraction:
    """The number as it was written: 0.1 is a tenth, so that ten of them are 1."""
    return Fraction(repr(number))


def at_most(points: Fraction, most: Fraction) -> Fraction:
    """The points, or `most` if only rounding made them more: 33.333333333333336 of a third of 100."""
    return most if most < points <= most + abs(most) * _ROUNDING else points


def at_least(points: Fraction, least: Fraction) -> Fraction:
    """The points, or `least` if only rounding made them less."""
    return -at_most(-points, -least)


def aggregate(mode: str, scores: list[Fraction]) -> Fraction:
    """Points of a group from those of its parts; nothing of no parts."""
    if not scores:
        return Fraction(0)
    match mode:
        case "min":
            return min(scores)
        case "max":
            return max(scores)
        case "avg":
            return sum(scores, Fraction(0)) / len(scores)
        case "sum":
            return sum(scores, Fraction(0))
    raise ValueError(f"no score mode: {mode}")


def _described(group: TestGroup, rules: ScoringRules) -> GroupPoints:
    return GroupPoints(
        name=group.name,
        max_score=rules.most_of(group),
        cases=sum(1 for _ in names_below(group)),
        requires=[] if isinstance(group.rule, Grading) else list(group.rule.requires),
    )


def _direct_group(root: TestGroup, name: str) -> TestGroup | None:
    return next((part for part in root.parts if isinstance(part, TestGroup) and part.name == name), None)


def _ignores_sample(group: TestGroup) -> bool:
    return isinstance(group.rule, Grading) and group.rule.ignores_sample
