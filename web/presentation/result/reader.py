"""One person as the reader of one submission: the results that count, how much is shown of them, what may be asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser

from judge.models import CaseRerun, ExplanationLevel, Status, Submission, TestCaseResult
from judge.reruns.kinds import RerunKind
from judge.submissions.growth_requests import keeper, may_tell
from web import access
from web.access.visibility import Visibility
from web.presentation.result import limits
from web.presentation.result.reruns import Requests


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """`results`: all that count, also those that this reader may not see, without what `level` does not show.

    `is_preview`: of a rejudge that is not applied, so that nothing can be asked for.
    """

    visibility: Visibility
    level: ExplanationLevel
    reads_source: bool
    requests: Requests
    results: list[TestCaseResult]
    is_preview: bool = False

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
    judged = _results(submission) if results is None else results
    tells_growth = not visibility.is_restricted and may_tell(submission, judged)
    keeping = keeper(judged) if tells_growth else None
    limits.hide(judged, level)
    kinds = [kind for kind in RerunKind if limits.shows(level, kind)]
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


def _results(submission: Submission) -> list[TestCaseResult]:
    """Return the results that count: of the current attempt, none while it waits to be tried again."""
    if submission.status == Status.QUEUED:
        return []
    return list(submission.results.filter(attempt=submission.attempt).order_by("position"))
