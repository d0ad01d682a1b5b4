"""The maximum points of a scoring problem's groups: for its page, and for computing scores.

Source: "Scoring problems" of the package format 2025-09 (`Points`), "Test data groups" of the legacy one (`Grading`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from problems.package import Package
from problems.testgroups import DIALECTS, DOMJUDGE, Grading, GroupPoints, TestGroup

_SAMPLE, _SECRET = "sample", "secret"
_ROUNDING = Fraction(1, 10**9)  # how far a checker that reckons in binary may be off
ONLY_ACCEPTED = "accepted"  # problems.models.ScorePolicy, without the models


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoringRules:
    """The rules by which the points of a scoring problem are counted."""

    root: TestGroup  # data/
    policy: str = "groups"  # ProblemLimits.score_policy
    has_checker_scores: bool = False  # legacy: the checker may give other points than accept_score

    @property
    def secret(self) -> TestGroup:
        """The group of the secret cases; all of data/ if there is none."""
        return _direct_group(self.root, _SECRET) or self.root

    @property
    def counted(self) -> TestGroup:
        """The group whose points count for the submission: with samples in the legacy format, unless ignored."""
        return self.root if isinstance(self.root.rule, Grading) else self.secret

    @property
    def shown(self) -> tuple[TestGroup, ...]:
        """The groups that people see: those directly in secret, or secret itself; samples if they give points."""
        groups = tuple(part for part in self.secret.parts if isinstance(part, TestGroup)) or (self.secret,)
        sample = _direct_group(self.root, _SAMPLE)
        if sample is None or self.counted is not self.root or not self.most_of(sample) or _ignores_sample(self.root):
            return groups
        return (sample, *groups)

    def most_of(self, group: TestGroup) -> float | None:
        """Return a group's maximum; None: unbounded."""
        rule = group.rule
        if not isinstance(rule, Grading):
            return rule.max_score
        bounds = [rule.most]
        if is_given_once(group) and not self.has_checker_scores:
            bounds.append(rule.accept_score)
        elif not self.has_checker_scores:  # every case gives its accept_score
            parts = [rule.accept_score if isinstance(part, str) else self.most_of(part) for part in scored_parts(group)]
            values = [exact(value) for value in parts if value is not None]
            if len(values) == len(parts):
                bounds.append(float(aggregate(rule.score, values)))
        return min(bounds) if min(bounds) != float("inf") else None


def rules_of(package: Package) -> ScoringRules | None:
    """Return how the package counts points; None for a problem without scoring."""
    root = groups_of(package)
    if root is None:
        return None
    is_domjudge = isinstance(root.rule, Grading) and root.rule.is_whole  # where a checker needs not say that it scores
    return ScoringRules(
        root=root,
        policy=package.limits.score_policy,
        has_checker_scores=package.output_validator is not None if is_domjudge else package.has_checker_scores,
    )


def groups_of(package: Package) -> TestGroup | None:
    """Return data/ as a tree, in the dialect of the settings or the package; None for a problem without scoring."""
    return package.domjudge_groups if dialect_of(package) == DOMJUDGE else package.groups


def dialect_of(package: Package) -> str:
    """Return the dialect that counts its points; "" if all dialects agree."""
    if package.dialect is None:
        return ""
    return package.limits.score_dialect or package.dialect.name


def in_dialect(package: Package, name: str) -> Package:
    """Return the package with its points read in this dialect."""
    return replace(package, limits=replace(package.limits, score_dialect=name))


def scoring_columns(package: Package) -> dict[str, object]:
    """Return the scoring columns of `ProblemVersion`."""
    rules = rules_of(package)
    if rules is None:
        return {"is_scoring": False, "max_score": None, "groups": ()}
    groups = tuple(
        GroupPoints(
            name=group.name,
            max_score=rules.most_of(group),
            cases=sum(1 for _ in names_below(group)),
            requires=() if isinstance(group.rule, Grading) else tuple(group.rule.requires),
        )
        for group in rules.shown
    )
    return {"is_scoring": True, "max_score": rules.most_of(rules.counted), "groups": groups}


def columns_by_dialect(package: Package) -> dict[str, dict[str, object]]:
    """Return `scoring_columns` for each dialect to choose from; nothing where there is no choice."""
    if package.dialect is None:
        return {}
    return {name: scoring_columns(in_dialect(package, name)) for name in DIALECTS}


def names_below(group: TestGroup) -> Iterator[str]:
    """Return the names of all cases in a group and below it, in order."""
    for part in group.parts:
        if isinstance(part, TestGroup):
            yield from names_below(part)
        else:
            yield part


def graded_parts(group: TestGroup) -> tuple[TestGroup | str, ...]:
    """Return the parts that decide a legacy group's verdict and points."""
    if not _ignores_sample(group):
        return group.parts
    return tuple(part for part in group.parts if not is_sample_group(part))


def scored_parts(group: TestGroup) -> tuple[TestGroup | str, ...]:
    """Return the parts that decide its points: in DOMjudge's dialect only subgroups with files, if there are groups."""
    parts = graded_parts(group)
    if not (isinstance(group.rule, Grading) and group.rule.is_whole):
        return parts
    groups = tuple(part for part in parts if isinstance(part, TestGroup))
    counted = tuple(part for part in groups if isinstance(part.rule, Grading) and not part.rule.is_left_out)
    return counted if groups else parts


def is_given_once(group: TestGroup) -> bool:
    """Return whether its accept_score is for all its test cases together: DOMjudge's dialect."""
    is_leaf = not any(isinstance(part, TestGroup) for part in group.parts)
    return is_leaf and isinstance(group.rule, Grading) and group.rule.is_whole


def all_right(group: TestGroup) -> Fraction:
    """Return the points of a legacy group whose test cases are all accepted, whatever its range."""
    rule = group.rule
    assert isinstance(rule, Grading), "of the legacy format"
    if is_given_once(group):
        return exact(rule.accept_score)
    parts = scored_parts(group)
    return aggregate(
        rule.score, [exact(rule.accept_score) if isinstance(part, str) else all_right(part) for part in parts]
    )


def is_sample_group(part: TestGroup | str) -> bool:
    """Return whether this is data/sample."""
    return isinstance(part, TestGroup) and part.name == _SAMPLE


def exact(number: float) -> Fraction:
    """Return the number as written: 0.1 is a tenth, so ten of them are 1."""
    return Fraction(repr(number))


def at_most(points: Fraction, most: Fraction) -> Fraction:
    """Cap the points at `most` if only rounding exceeded it: 33.333333333333336 of a third of 100."""
    return most if most < points <= most + abs(most) * _ROUNDING else points


def at_least(points: Fraction, least: Fraction) -> Fraction:
    """Raise the points to `least` if only rounding fell below it."""
    return -at_most(-points, -least)


def aggregate(mode: str, scores: list[Fraction]) -> Fraction:
    """Combine the points of a group's parts by its mode "sum", "min", "max" or "avg"; no parts have 0 points."""
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


def _direct_group(root: TestGroup, name: str) -> TestGroup | None:
    return next((part for part in root.parts if isinstance(part, TestGroup) and part.name == name), None)


def _ignores_sample(group: TestGroup) -> bool:
    return isinstance(group.rule, Grading) and group.rule.ignores_sample
