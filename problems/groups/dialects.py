"""Decide which dialect a legacy scoring package uses (the meaning of accept_score), from other evidence in it.

On Kattis, whose text the format is, `accept_score` and flags hold for a folder and all below it, and each accepted test
case gives its accept_score. In DOMjudge they hold for the one folder whose file has them, and a folder of test cases
gives its accept_score once, if all of them are accepted. Most packages come to the same either way; of the others the
points expected of a jury submission decide, then ranges that only one dialect can keep, then keys that only one has.

Source: "Test data groups" and "Graders" of the legacy package format; DOMjudge's importer of problems and its example
problems for scoring contests.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from problems.groups.points import all_right, exact, graded_parts, scored_parts
from problems.package import JurySubmission
from problems.testgroups import DOMJUDGE, KATTIS, Dialect, Grading, TestGroup, other_dialect
from problems.translation import Sentence, gettext_noop


@dataclass(frozen=True, kw_only=True, slots=True)
class Readings:
    """data/ of a package in both dialects, with the other evidence."""

    kattis: TestGroup
    domjudge: TestGroup
    has_checker: bool  # which may give points itself
    of_kattis: Sequence[str]  # what only Kattis's dialect has, as a setter would look for it
    of_domjudge: Sequence[str]

    @property
    def is_one(self) -> bool:
        """Return whether both dialects give every submission the same points."""
        return _is_same(self.kattis, self.domjudge, has_checker=self.has_checker)


_OTHER_MOST = gettext_noop(
    "may be for each test case, as on Kattis, or for all of its folder's test cases together, as in DOMjudge, "
    "and a right program would have %(points)s points or %(others)s: nothing in the package tells, so it is "
    "taken as on Kattis; give a range, or @EXPECTED_SCORE@ in a jury submission, or choose in the problem's "
    "settings"
)
_OTHER_POINTS = gettext_noop(
    "may be for each test case, as on Kattis, or for all of its folder's test cases together, as in DOMjudge, and "
    "what is right would come to other points: nothing in the package tells, so it is taken as on Kattis; give a "
    "range, or @EXPECTED_SCORE@ in a jury submission, or choose in the problem's settings"
)
UNSURE = (_OTHER_MOST, _OTHER_POINTS)  # templates of the warning about a dialect that nothing tells
Pairs = Sequence[tuple[TestGroup, TestGroup]]  # each folder's group in Kattis's dialect and in DOMjudge's


def choose_dialect(readings: Readings, submissions: Sequence[JurySubmission]) -> Dialect:
    """Return the dialect with its evidence; Kattis, as uncertain, without evidence or with contradictory evidence."""
    if not readings.has_checker:
        of_kattis = {group.name: group for group in _groups(readings.kattis)}
        of_domjudge = [(of_kattis[group.name], group) for group in _groups(readings.domjudge)]
        evidence = _by_expected_points(readings, submissions) or _by_ranges(of_domjudge)
        if dialect := evidence or _by_missing_scores(of_domjudge):
            return dialect
    if bool(readings.of_kattis) != bool(readings.of_domjudge):
        mark = [*readings.of_kattis, *readings.of_domjudge][0]
        return _certain(KATTIS if readings.of_kattis else DOMJUDGE, Sentence("the package has %(mark)s", mark=mark))
    why = Sentence("nothing in the package tells, and so the format's text does")
    return Dialect(name=KATTIS, why=why, is_certain=False)


def why_unsure(readings: Readings) -> Sentence:
    """Return what an undecided package's setter should know and do, as the end of a sentence."""
    most = [all_right(root) for root in (readings.kattis, readings.domjudge)]
    if not readings.has_checker and most[0] != most[1]:
        return Sentence(_OTHER_MOST, points=f"{float(most[0]):g}", others=f"{float(most[1]):g}")
    return Sentence(_OTHER_POINTS)


def expected_of(submission: JurySubmission, points: float) -> Sentence:
    """Return that the setter expects these points of a jury submission, as half a sentence."""
    return Sentence(
        "%(submission)s is to get %(points)s points", submission=f"submissions/{submission.name}", points=f"{points:g}"
    )


def expected_points(submission: JurySubmission) -> float | None:
    """Return the setter's expected points of the whole submission, if they are one number."""
    for expectation in submission.expectations:
        if not expectation.cases and expectation.score and expectation.score[0] == expectation.score[1]:
            return expectation.score[0]
    return None


def _by_expected_points(readings: Readings, submissions: Sequence[JurySubmission]) -> Dialect | None:
    """Decide by accepted submissions, which get all points and need not run."""
    most = {KATTIS: all_right(readings.kattis), DOMJUDGE: all_right(readings.domjudge)}
    for submission in submissions:
        points = expected_points(submission)
        if points is None or not submission.name.startswith("accepted/"):
            continue
        fitting = [name for name, total in most.items() if _is_equal(exact(points), total)]
        if len(fitting) == 1:
            return _certain(fitting[0], expected_of(submission, points))
    return None


def _by_ranges(groups: Pairs) -> Dialect | None:
    """Decide by ranges: one that a full score exceeds is not meant so; one that it reaches exactly most likely is."""
    exceeded: dict[str, Sentence] = {}
    reached: dict[str, Sentence] = {}
    for of_kattis, of_domjudge in groups:
        rule = _rule(of_domjudge)  # with the range of its own file only
        least, most = (exact(bound) if math.isfinite(bound) else None for bound in (rule.least, rule.most))
        if least is None and most is None:
            continue
        points = {KATTIS: all_right(of_kattis), DOMJUDGE: all_right(of_domjudge)}
        place, bounds = f"data/{of_domjudge.name}".rstrip("/"), {"least": f"{rule.least:g}", "most": f"{rule.most:g}"}
        evidence = Sentence("the range of %(group)s is %(least)s to %(most)s", group=place, **bounds)
        for name, total in points.items():
            is_below = least is not None and total < least and not _is_equal(total, least)
            if is_below or (most is not None and total > most and not _is_equal(total, most)):
                exceeded.setdefault(name, evidence)
            elif most is not None and _is_equal(total, most) and points[KATTIS] != points[DOMJUDGE]:
                reached.setdefault(name, evidence)
    if len(exceeded) == 1:
        return _certain(other_dialect(min(exceeded)), *exceeded.values())
    if not exceeded and len(reached) == 1:
        return _certain(min(reached), *reached.values())
    return None


def _by_missing_scores(groups: Pairs) -> Dialect | None:
    """Decide for Kattis if secret test cases would give nothing in DOMjudge: no accept_score in their own folder."""
    for of_kattis, group in groups:
        is_inherited = _rule(of_kattis).accept_score and not _rule(group).has_accept_score
        if group.name.split("/")[0] == "secret" and any(isinstance(part, str) for part in group.parts) and is_inherited:
            place = f"data/{group.name}"
            why = Sentence("%(group)s has no accept_score of its own, and DOMjudge inherits none", group=place)
            return _certain(KATTIS, why)
    return None


def _certain(name: str, why: Sentence) -> Dialect:
    return Dialect(name=name, why=why, is_certain=True)


def _is_same(kattis: TestGroup, domjudge: TestGroup, *, has_checker: bool) -> bool:
    ours, theirs = _rule(kattis), _rule(domjudge)
    if theirs.is_left_out:
        return not has_checker and not ours.reject_score and not all_right(kattis)
    if not any(isinstance(part, TestGroup) for part in kattis.parts):
        is_once = len(kattis.parts) == 1 or ours.score == "min"
        is_alike = is_once and (ours.score == theirs.score or len(kattis.parts) == 1 or not has_checker)
        return is_alike and ours.accept_score == theirs.accept_score and not ours.reject_score
    pairs = [
        (part, other)
        for part, other in zip(graded_parts(kattis), graded_parts(domjudge), strict=True)
        if isinstance(part, TestGroup) and isinstance(other, TestGroup)
    ]
    has_own_cases = len(pairs) < len(graded_parts(kattis)) and (has_checker or ours.accept_score or ours.reject_score)
    counted = len(scored_parts(domjudge))
    is_alike = ours.score == theirs.score and (ours.score == "sum" or counted == len(graded_parts(kattis)))
    return (
        not has_own_cases
        and (is_alike or len(graded_parts(kattis)) == counted == 1)
        and all(_is_same(part, other, has_checker=has_checker) for part, other in pairs)
    )


def _groups(root: TestGroup) -> Iterator[TestGroup]:
    yield root
    for part in graded_parts(root):
        if isinstance(part, TestGroup):
            yield from _groups(part)


def _rule(group: TestGroup) -> Grading:
    assert isinstance(group.rule, Grading), "both dialects are of the legacy format"
    return group.rule


def _is_equal(points: Fraction, other: Fraction) -> bool:
    """Return whether they are equal within decimals of a third: three times 33.33 is 100."""
    return abs(points - other) <= Fraction(1, 1_000) * max(abs(other), Fraction(1))
