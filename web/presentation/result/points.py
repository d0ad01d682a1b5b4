"""The points of a submission and its groups as the result page draws them, with the cases of each group."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _, ngettext

from judge.grading.events import GroupJudged
from judge.grading.verdicts import Verdict
from judge.models import Submission, TestCaseResult
from problems.testgroups import GroupPoints
from web.presentation.result.case import BriefCase, CaseView
from web.presentation.units import plural_of, points

_GAP = 0.6  # per cent between two groups of the bar


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupView:
    """A test group. `score` is None while it is being judged; `length` and `filled` are per cent of the drawing."""

    name: str
    verdict: Verdict | None
    score: float | None
    max_score: float | None
    total: int
    judged: int
    accepted: int | None  # None while its reader may not follow the verdicts
    length: float
    filled: float

    @property
    def title(self) -> str:
        """The name without what all groups have in common."""
        return self.name.removeprefix("secret/")

    @property
    def is_whole(self) -> bool:
        """Return whether it gave its maximum; while it is being judged, whether everything so far is right."""
        if self.score is None:
            return self.accepted == self.total
        return self.verdict is Verdict.AC and (self.max_score is None or self.score == self.max_score)

    @property
    def worth(self) -> str:
        """Its points in words: "30 of 40 points", "40 points" while being judged, "12.5 points" without a maximum."""
        if self.max_score is not None:
            return _points(self.score, self.max_score)
        return "" if self.score is None else _points(None, self.score)

    @property
    def progress(self) -> str:
        """The state of its cases: "3 of 3 accepted", "1 of 3 accepted, 1 not run"."""
        if self.accepted is None:
            return _("%(judged)s of %(total)s judged") % {"judged": self.judged, "total": self.total}
        waiting = self.total - self.judged
        if not waiting:
            words = _("%(accepted)s of %(total)s accepted")
        elif self.score is None:
            words = _("%(accepted)s of %(total)s accepted, %(left)s to come")
        else:
            words = _("%(accepted)s of %(total)s accepted, %(left)s not run")
        return words % {"accepted": self.accepted, "total": self.total, "left": waiting}


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """Cases shown together; `group` is None for cases without one. `number`: from 1, for addresses."""

    number: int
    group: GroupView | None
    cases: list[BriefCase] = field(default_factory=list)

    @property
    def measured(self) -> list[CaseView]:
        return [case for case in self.cases if isinstance(case, CaseView)]

    @property
    def is_open(self) -> bool:
        """Return whether it is open at first: if there is something to look at."""
        return self.group is None or not self.group.is_whole


@dataclass(frozen=True, kw_only=True, slots=True)
class Stretch:
    """A group in the bar of all points: a track from `x`, with `filled` earned, in per cent."""

    x: float
    width: float
    filled: float


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreView:
    """The points of the whole submission. `bar` is empty without a maximum."""

    score: float
    max_score: float | None
    bar: tuple[Stretch, ...]

    @property
    def words(self) -> str:
        """The points in words, for example "40 of 100 points"."""
        return _points(None, self.score) if self.max_score is None else _points(self.score, self.max_score)


def _points(score: float | None, number: float) -> str:
    """The points in words: so many, or a score of so many."""
    if score is None:
        words = ngettext("%(points)s point", "%(points)s points", plural_of(number))
    else:
        words = ngettext("%(score)s of %(points)s point", "%(score)s of %(points)s points", plural_of(number))
    return words % {"score": points(score), "points": points(number)}


def score_view(submission: Submission) -> ScoreView | None:
    """Return the points, once there are any."""
    if not submission.is_done or submission.score is None:
        return None
    if not submission.max_score:
        return ScoreView(score=submission.score, max_score=submission.max_score, bar=())
    # The groups side by side, each as wide as its maximum; only the whole if they do not add up.
    parts = [(group.score, group.max_score or 0) for group in submission.groups]
    is_sum = math.isclose(sum(most for _, most in parts), submission.max_score)
    if not is_sum or not math.isclose(sum(score for score, _ in parts), submission.score, abs_tol=1e-9):
        parts = [(submission.score, submission.max_score)]
    stretches, x = [], 0.0
    for score, most in parts:
        width = max(0.0, 100 * most / submission.max_score - _GAP)
        filled = width * min(1.0, score / most) if most else 0.0
        stretches.append(Stretch(x=round(x, 2), width=round(width, 2), filled=round(filled, 2)))
        x += width + _GAP
    return ScoreView(score=submission.score, max_score=submission.max_score, bar=tuple(stretches))


def group_views(submission: Submission, results: Sequence[TestCaseResult], *, counts_verdicts: bool) -> list[GroupView]:
    """Return the groups with their points, or their maximum while being judged. Empty without scoring."""
    groups: Sequence[GroupJudged | GroupPoints] = submission.problem_version.groups
    if submission.is_done:
        groups = submission.groups
    most = max((group.max_score or 0 for group in groups), default=0)
    views = []
    for group in groups:
        inside = [result for result in results if result.name.startswith(f"{group.name}/")]
        judged, max_score = group if isinstance(group, GroupJudged) else None, group.max_score
        score = judged.score if judged else None
        length = 100 * max_score / most if max_score and most else 0.0
        views.append(
            GroupView(
                name=group.name,
                verdict=judged.verdict if judged else None,
                score=score,
                max_score=max_score,
                total=group.cases,
                judged=len(inside),
                accepted=sum(result.verdict == Verdict.AC for result in inside) if counts_verdicts else None,
                length=round(length, 2),
                filled=round(length * min(1.0, (score or 0) / max_score), 2) if max_score else 0.0,
            )
        )
    return views


def sections(groups: Sequence[GroupView], cases: Sequence[BriefCase]) -> list[Section]:
    """Return the cases by group, those without one first; all in one section without groups."""
    sections = [Section(number=number, group=group) for number, group in enumerate(groups, start=1)]
    rest = Section(number=0, group=None)
    for case in cases:
        own = (section for section in sections if section.group and case.name.startswith(f"{section.group.name}/"))
        next(own, rest).cases.append(case)
    return [rest, *sections] if rest.cases or not sections else sections
