"""One person as the reader of one submission: the results that count, how much is shown, which reruns may be had."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_noop

from judge.grading.explain import REPEATING
from judge.grading.verdicts import Verdict
from judge.models import CaseRerun, ExplanationLevel, MeasuredCase, Status, Submission, TestCaseResult
from judge.reruns.kinds import RerunKind
from judge.submissions.growth_requests import keeper, may_tell
from web import access
from web.access.visibility import Visibility
from web.presentation.result.findings import FindingView


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """The state of a requested rerun of the case. `state`: "pending", "failed" or empty; `problem` says why."""

    state: str
    problem: str
    is_automatic: bool = False  # nobody asked for it
    may_be_hurried: bool = False  # likewise, and it waits: asking for it lets it go before others of its kind


_NOTHING = Asked(state="", problem="")


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """A rerun that may be asked for. `problem`: why the last one failed."""

    examination: RerunKind
    button: str
    what: str
    problem: str

    @property
    def asks_itself(self) -> bool:
        """Return whether a script asks for it when somebody opens the case: it costs one run. Not after a failure."""
        return self.examination is RerunKind.PROFILE and not self.problem


@dataclass(frozen=True, kw_only=True, slots=True)
class Requests:
    """The requests about a submission's cases. They are read first: one that is done has left its numbers."""

    refusals: Mapping[tuple[int, str], str]  # of those made just now, by position and examination
    rows: Mapping[int, Sequence[CaseRerun]]  # by the id of their case
    possible: Collection[RerunKind] = frozenset()  # what makes sense for this submission
    growth_position: int | None = None  # of the case that keeps its growth, if that may be asked for

    def about(self, result: TestCaseResult) -> dict[RerunKind, Asked]:
        """Return the state of each kind of rerun of this case."""
        if not self.refusals and result.pk not in self.rows:
            return dict.fromkeys(RerunKind, _NOTHING)
        return {kind: self._asked(result, kind) for kind in RerunKind}

    def has_open(self, result: TestCaseResult) -> bool:
        """Return whether a rerun of this case had not ended when its row was read, though the case may know more."""
        return any(not row.is_done for row in self.rows.get(result.pk, ()))

    def counted(self, result: TestCaseResult) -> CaseRerun | None:
        """Return the rerun that counted the calls of this case by name; None if the judging did, or nobody has."""
        if result.pk is None or not RerunKind.PROFILE.is_known_of(result):
            return None
        rows = self.rows.get(result.pk, ())
        done = [row for row in rows if row.examination == RerunKind.PROFILE and row.is_done and not row.problem]
        return max(done, key=lambda row: row.pk, default=None)

    def offers(self, result: TestCaseResult, requests: Mapping[RerunKind, Asked], *, is_near: bool) -> list[Offer]:
        """Return what may be asked for of this case: what it does not have, and nobody waits for."""
        # Near its time limit repeating it says how sure the verdict is.
        possible = set(self.possible) - (set() if is_near else {RerunKind.REPEATS})
        possible -= set() if result.position == self.growth_position else {RerunKind.GROWTH}
        possible -= set() if result.verdict in (Verdict.WA, Verdict.RE) else {RerunKind.TWIN}  # else all is there
        possible -= set() if result.verdict in (Verdict.TLE, Verdict.OLE) else {RerunKind.ENDLESS}
        kinds = [kind for kind in RerunKind if kind in possible and requests[kind].state != "pending"]
        texts = [(kind, kind.record) for kind in kinds if not kind.is_known_of(result)]
        return [
            Offer(examination=kind, button=_(text.button), what=_(text.what), problem=requests[kind].problem)
            for kind, text in texts
        ]

    def _asked(self, result: TestCaseResult, examination: RerunKind) -> Asked:
        refusal = self.refusals.get((result.position, examination))
        if refusal is not None:
            return Asked(state="failed", problem=refusal)
        if result.pk is None or examination.is_known_of(result):
            return _NOTHING
        requests = [request for request in self.rows.get(result.pk, ()) if request.examination == examination]
        newest: CaseRerun | None = max(requests, key=lambda request: request.pk, default=None)
        if newest is None:
            return _NOTHING
        if not newest.is_done:
            waits = newest.is_automatic and newest.status == Status.QUEUED
            return Asked(state="pending", problem="", is_automatic=newest.is_automatic, may_be_hurried=waits)
        problem = _(newest.problem) if newest.problem else _("It gave no numbers.")
        return Asked(state="failed", problem=problem, is_automatic=newest.is_automatic)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """`results`: all that count, also those that this reader may not see, without what `level` does not show."""

    visibility: Visibility
    level: ExplanationLevel
    reads_source: bool
    requests: Requests
    results: list[TestCaseResult]
    is_preview: bool = False  # of a rejudge that is not applied, so that nothing can be asked for

    @property
    def is_staff(self) -> bool:
        """Return whether the checker's messages and exact numbers are shown."""
        return self.visibility.sees_all


def reader_of(
    submission: Submission,
    user: AbstractBaseUser | AnonymousUser,
    requests: Sequence[CaseRerun],
    refusals: Mapping[tuple[int, str], str] | None = None,
    results: list[TestCaseResult] | None = None,
) -> Reader:
    """Return the reader of a submission; the caller has checked access. The other arguments are those of `report`."""
    visibility, level = access.sight_of(user, submission.problem), access.explained(user, submission.problem)
    is_preview = results is not None
    judged = results
    if judged is None:  # those of the current attempt; none while it waits to be tried again
        of_attempt = submission.results.filter(attempt=submission.attempt).order_by("position")
        judged = [] if submission.status == Status.QUEUED else list(of_attempt)
    tells_growth = not visibility.is_restricted and may_tell(submission, judged)
    keeping = keeper(judged) if tells_growth else None
    hide_reruns(judged, level)
    kinds = [kind for kind in RerunKind if shows_rerun(level, kind)]
    can_ask = submission.is_done and not is_preview
    rows: dict[int, list[CaseRerun]] = {}
    for request in requests:
        if RerunKind(request.examination) in kinds:
            rows.setdefault(request.result_id, []).append(request)
    return Reader(
        visibility=visibility,
        level=level,
        reads_source=access.reads_source(user, submission),
        requests=Requests(
            refusals=refusals or {},
            rows=rows,
            possible=frozenset(kind for kind in kinds if kind.serves(submission)) if can_ask else frozenset(),
            growth_position=keeping.position if keeping else None,
        ),
        results=judged,
        is_preview=is_preview,
    )


# The levels are in docs/explain.md. What was measured is shown at each of them; only what is said about it is not.
_LEVEL_SENTENCES = {
    ExplanationLevel.NOTHING: gettext_noop("An open assignment with this problem shows no explanations."),
    ExplanationLevel.CAUSE: gettext_noop("An open assignment with this problem shows the cause only."),
    ExplanationLevel.LINE: gettext_noop(
        "An open assignment with this problem shows the cause and its lines, and no changed source."
    ),
}


def shows_rerun(level: ExplanationLevel, kind: RerunKind) -> bool:
    """Return whether a reader with this level sees what such a rerun tells, and may ask for one."""
    return level.reaches(kind.record.level)


def shown_findings(views: Sequence[FindingView], level: ExplanationLevel) -> list[FindingView]:
    """Return the findings as this level shows them: without their lines and advice, or none that explains."""
    if level.reaches(ExplanationLevel.LINE):
        return list(views)
    if level is ExplanationLevel.NOTHING:
        return [view for view in views if view.code in REPEATING]
    return [view if view.code in REPEATING else replace(view, advice=SafeString(), lines=()) for view in views]


def hide_reruns(results: Sequence[MeasuredCase], level: ExplanationLevel) -> None:
    """Take out of these rows, which are not saved, what the level does not show."""
    for kind in RerunKind:
        if not shows_rerun(level, kind):
            for result in results:
                kind.hide_of(result)


def level_sentence(level: ExplanationLevel) -> str:
    """Return what the page says about the limit; "" without one."""
    return _(_LEVEL_SENTENCES[level]) if level in _LEVEL_SENTENCES else ""
