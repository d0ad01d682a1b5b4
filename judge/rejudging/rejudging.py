"""Rejudge a set of submissions: start, preview the changes, then apply or discard them.

How it works: each chosen submission (`judge.rejudging.selection`) gets a row (`RejudgedSubmission`) that workers take
like any other work, after all of the students'. Its result stays in that row and its cases. Applying is decided once,
in the rejudge's row; then the rows follow, a few in each transaction. Who applies many waits for the first only: the
maintenance of any worker goes on, as it does with what is interrupted in the middle. A submission that was judged by
something else since it was chosen keeps what it has.
"""

import math
import time
from collections.abc import Collection
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from judge.models import (
    CaseRerun,
    JudgedProgram,
    MeasuredCase,
    QueuedWork,
    Rejudge,
    RejudgedCase,
    RejudgedSubmission,
    Status,
    Submission,
    TestCaseResult,
)
from judge.queue import wakeup
from judge.rejudging.selection import Filter, RejudgeRefused, current_version, matching
from problems.models import Problem

CHUNK = 20  # submissions in a transaction that applies them: each may have hundreds of test cases
AT_ONCE = 200  # with no more than these, whoever applies waits until all are: about 7 ms each
FIRST_TURN_S = 1.0  # how long they wait with more
TURN_S = 5.0  # how long maintenance goes on with one of them
FEW_WAKEUPS = 10  # with no more than these unheard, further wake-ups are sent

_QUEUE = {field.name for field in QueuedWork._meta.fields}
_RESULT = [field.name for field in JudgedProgram._meta.fields if field.name not in _QUEUE]
_RESULT += ["worker", "started_at", "finished_at"]  # of the queue's columns, what the result page tells
_MEASURED = [field.name for field in MeasuredCase._meta.fields if field.name != "attempt"]


def start(problem: Problem, choice: Filter, *, by: AbstractBaseUser, reason: str) -> Rejudge:
    """Queue the selected submissions for the problem's current version. Raises RejudgeRefused."""
    version = current_version(problem)
    with transaction.atomic():
        chosen = matching(problem, choice).filter(status=Status.DONE).order_by("pk")
        rejudge = Rejudge.objects.create(problem=problem, version=version, made_by_id=by.pk, reason=reason)
        rows = [
            RejudgedSubmission(rejudge=rejudge, **{name: getattr(submission, of) for name, of in _REMEMBERED.items()})
            for submission in chosen.only(*_REMEMBERED.values())
        ]
        if not rows:
            raise RejudgeRefused(_("No submission that is judged fits this choice."))
        RejudgedSubmission.objects.bulk_create(rows, batch_size=500)
        transaction.on_commit(ring_on)
    return rejudge


def ring_on() -> None:
    """Notify workers of more waiting rows when few notifications are unread: thousands would block the queue."""
    unheard = wakeup.unread_wakeups()
    if unheard is not None and unheard <= FEW_WAKEUPS:
        wakeup.notify_again(RejudgedSubmission)


def try_again(rejudge: Rejudge) -> int:
    """Queue again those that our own failures ended; return how many. Raises RejudgeRefused."""
    with transaction.atomic():
        _open(rejudge)
        anew: dict[str, Any] = {"status": Status.QUEUED, "is_given_up": False, "failures": 0, "finished_at": None}
        given_up = rejudge.submissions.filter(is_given_up=True)
        number = given_up.update(verdict="", judge_message="", judge_sentence=None, **anew)
        transaction.on_commit(ring_on)
    return number


def apply(rejudge: Rejudge, *, by: AbstractBaseUser) -> None:
    """Replace the old results by the new ones: the first of many here, the rest by maintenance.

    Safe to repeat. Raises RejudgeRefused.
    """
    with transaction.atomic():
        locked = Rejudge.objects.select_for_update().get(pk=rejudge.pk)
        if locked.applied_at is None:
            _open(rejudge)
            if rejudge.submissions.unfinished().exists():
                raise RejudgeRefused(_("Not every submission is judged yet."))
            Rejudge.objects.filter(pk=rejudge.pk).update(applied_at=Now(), applied_by_id=by.pk)
    is_small = rejudge.submissions.to_apply().count() <= AT_ONCE
    carry_out(rejudge.pk, within_s=math.inf if is_small else FIRST_TURN_S)


def carry_out(rejudge_id: int, within_s: float = math.inf) -> None:
    """Apply the decision on an applied rejudge's rows; skips rows that another process holds."""
    deadline = time.monotonic() + within_s
    while _apply_some(rejudge_id) and time.monotonic() < deadline:
        pass
    rest = RejudgedSubmission.objects.filter(rejudge=rejudge_id).to_apply()
    if not rest.exists() and Rejudge.objects.filter(pk=rejudge_id, settled_at=None).update(settled_at=Now()):
        wakeup.announce(RejudgedSubmission(rejudge_id=rejudge_id), "settled")


def carry_out_interrupted() -> None:
    """Continue interrupted applications; maintenance calls this and has other work too."""
    for rejudge_id in Rejudge.objects.filter(applied_at__isnull=False, settled_at=None).values_list("pk", flat=True):
        carry_out(rejudge_id, within_s=TURN_S)


def discard(rejudge: Rejudge, *, by: AbstractBaseUser) -> None:
    """Drop the new results and leave every submission unchanged. Safe to repeat. Raises RejudgeRefused."""
    with transaction.atomic():
        if Rejudge.objects.select_for_update().get(pk=rejudge.pk).discarded_at is not None:
            return
        _open(rejudge)
        Rejudge.objects.filter(pk=rejudge.pk).update(discarded_at=Now(), discarded_by_id=by.pk)
        # Locked first, so that no worker writes a case of theirs between its deletion and theirs.
        unfinished = list(rejudge.submissions.unfinished().select_for_update().values_list("pk", flat=True))
        RejudgedCase.objects.filter(rejudged__rejudge=rejudge).delete()
        RejudgedSubmission.objects.filter(pk__in=unfinished).delete()


def hold_results(ids: Collection[int]) -> None:
    """Lock the results of locked submissions, after the reruns that point at them, until the transaction's end."""
    requests = CaseRerun.objects.filter(submission__in=ids).order_by("pk")
    list(requests.select_for_update(of=("self",)).values_list("pk"))
    list(TestCaseResult.objects.filter(submission__in=ids).select_for_update().order_by("pk").values_list("pk"))


def as_applied(row: RejudgedSubmission) -> tuple[Submission, list[TestCaseResult]]:
    """Return the submission and its test cases as they would be after applying. Saves nothing."""
    submission = Submission.objects.select_related("user", "problem").get(pk=row.submission_id)
    _take_result(submission, row)
    submission.status = Status.DONE
    return submission, [_as_result(case, submission) for case in row.results.order_by("position")]


# columns of a RejudgedSubmission -> what they remember of the submission
_REMEMBERED = {
    "submission_id": "id",
    "old_version_id": "problem_version_id",
    "old_attempt": "attempt",
    "old_verdict": "verdict",
    "old_score": "score",
    "old_max_cpu_time_us": "max_cpu_time_us",
    "old_max_peak_memory_bytes": "max_peak_memory_bytes",
    "old_finished_at": "finished_at",
}


def _open(rejudge: Rejudge) -> None:
    """Lock the row of a rejudge. Raises RejudgeRefused unless it is undecided."""
    locked = Rejudge.objects.select_for_update().get(pk=rejudge.pk)
    if locked.applied_at is not None:
        raise RejudgeRefused(_("This rejudge has been applied."))
    if locked.discarded_at is not None:
        raise RejudgeRefused(_("This rejudge has been discarded."))


def _apply_some(rejudge_id: int) -> int:
    """Apply the next few rows in a transaction; return how many."""
    with transaction.atomic():
        rows = list(
            RejudgedSubmission.objects.filter(rejudge=rejudge_id, rejudge__applied_at__isnull=False)
            .to_apply()
            .select_for_update(skip_locked=True, of=("self",))
            .select_related("rejudge")
            .order_by("submission")[:CHUNK]
        )
        # locked with everything that points at their results, always in this order; no-key: a request of a rerun points
        # at the submission while it holds the result
        locked = Submission.objects.select_for_update(no_key=True).defer("source", "original").order_by("pk")
        chosen = locked.filter(pk__in={row.submission_id for row in rows})
        submissions = {submission.pk: submission for submission in chosen}
        hold_results(submissions)
        attempts = {pk: submission.attempt for pk, submission in submissions.items() if submission.is_done}
        current = [row for row in rows if attempts.get(row.submission_id) == row.old_attempt]
        # each submission gets its new result as a further attempt, without the old test cases
        TestCaseResult.objects.filter(submission__in=[row.submission_id for row in current]).delete()
        for row in current:
            changed = _take_result(submissions[row.submission_id], row)
            submissions[row.submission_id].save(update_fields=changed)
        cases = RejudgedCase.objects.filter(rejudged__in=current).order_by("rejudged", "position").iterator()
        by_pk = {row.pk: submissions[row.submission_id] for row in current}
        results = (_as_result(case, by_pk[case.rejudged_id]) for case in cases)
        TestCaseResult.objects.bulk_create(results, batch_size=500)
        for row in rows:
            row.is_stale = row not in current
            row.applied_at = None if row.is_stale else Now()
        RejudgedSubmission.objects.bulk_update(rows, ["is_stale", "applied_at"])
        RejudgedCase.objects.filter(rejudged__in=rows).delete()
    for row in current:
        wakeup.announce(submissions[row.submission_id], "rejudged")
    for row in rows[:1]:
        wakeup.announce(row, "applied")
    return len(rows)


def _take_result(submission: Submission, row: RejudgedSubmission) -> list[str]:
    """Copy the new result into the submission's columns, unsaved, and return their names."""
    for name in _RESULT:
        setattr(submission, name, getattr(row, name))
    submission.attempt = row.old_attempt + 1
    submission.problem_version_id = row.rejudge.version_id
    return [*_RESULT, "attempt", "problem_version"]


def _as_result(case: RejudgedCase, submission: Submission) -> TestCaseResult:
    measured = {name: getattr(case, name) for name in _MEASURED}
    return TestCaseResult(submission=submission, attempt=submission.attempt, **measured)
