"""The reruns that come with a verdict without a request: those that help most to see why a program was slow.

A finding that needs system calls by name: the case, to count them. When they are counted, or at once where none are
needed: after small writes the case with its output buffered, else after a time limit exceeded by computing its CPU
time by line, and a changed source, as the rerun itself finds out whether a change is known; that also where a print was
left in. Accepted barely within the time limit: further runs of that case. Failed by a signal: the line where it ended.
A buffer may have changed the output: the case with its output unbuffered. They count against nobody and let all that
students wait for go first.
"""

from functools import cache, partial

from django.db import transaction

from judge.grading.events import GradingFinished
from judge.grading.reruns.reasons import LEFTOVERS, worth_trying, worth_unbuffering
from judge.grading.verdicts import Verdict
from judge.models import Assignment, CaseRerun, ExplanationLevel, Status, Submission, TestCaseResult
from judge.queue import wakeup
from judge.reruns.kinds import RerunKind
from judge.reruns.suggestions import Concluded
from judge.submissions import intake
from judge.submissions.late_evidence import judged_cases
from problems.columns import clean

# of the judge's own, of each kind, that are open for one person: a classroom often makes one mistake together
MOST_OPEN = 2
MOST_LEFT_OUT = 50  # submissions of one person that are looked through for counts that are missing
_BRING_ONE = (Verdict.TLE, Verdict.OLE, Verdict.SLE, Verdict.RE)


def request(submission: Submission, event: GradingFinished) -> None:
    """Queue the reruns that the findings suggest. To be called in the transaction of the verdict, or of the counts that
    its explanation waited for; `notify` follows it.

    Not when several of the kind still wait for the same person: a button asks for it then, and counts come when these
    have (`request_left_out`).
    """
    if not _may_bring_one(event):
        return
    version = submission.problem_version
    concluded = Concluded(
        event=event,
        language=submission.language,
        time_limit_ms=version.time_limit_ms,
        is_interactive=version.is_interactive,
        read_cases=cache(partial(judged_cases, submission)),
        shows_fixes=partial(_shows_fixes, submission),
    )
    names = {kind: [clean(name)[:200] for name in kind.record.suggested(concluded)] for kind in RerunKind}
    listed = {name for of_kind in names.values() for name in of_kind}
    rows = submission.results.filter(attempt=submission.attempt, name__in=listed) if listed else ()
    cases = {row.name: row for row in rows}
    for kind, of_kind in names.items():
        for name in of_kind:
            if name in cases:
                _queue(submission, kind, cases[name])


def _shows_fixes(submission: Submission) -> bool:
    level = Assignment.objects.level_for(submission.user_id, submission.problem_id)
    return level is ExplanationLevel.FIX


def request_left_out(user_id: int) -> None:
    """When counts have come, queue those that had no room, of the person's newest submission that waits for some."""
    waiting = Submission.objects.filter(user=user_id, status=Status.DONE).exclude(awaits_counts=[])
    for submission in waiting.only("user", "attempt", "awaits_counts").order_by("-pk")[:MOST_LEFT_OUT]:
        for case in submission.results.filter(attempt=submission.attempt, name__in=submission.awaits_counts):
            rerun = _queue(submission, RerunKind.PROFILE, case)
            if rerun is not None:
                transaction.on_commit(partial(wakeup.notify, rerun))
                return


def _queue(submission: Submission, kind: RerunKind, case: TestCaseResult) -> CaseRerun | None:
    """Queue the rerun if it has not been asked for and the person has room for it."""
    if case.requests.filter(examination=kind).exists():
        return None
    own = CaseRerun.objects.filter(is_automatic=True, examination=kind, submission__user=submission.user_id)
    if own.exclude(status=Status.DONE).count() >= MOST_OPEN:
        return None
    return intake.queue_rerun(case, kind, submission.user_id, is_automatic=True)


def notify(submission: Submission, event: GradingFinished) -> None:
    """Notify workers of what `request` has queued, after the commit."""
    if not _may_bring_one(event):
        return
    own = CaseRerun.objects.filter(submission=submission)  # those of earlier attempts went with their cases
    for rerun in own.filter(is_automatic=True, status=Status.QUEUED):
        transaction.on_commit(partial(wakeup.notify, rerun))


def _may_bring_one(event: GradingFinished) -> bool:
    """Return whether the verdict can bring a rerun: most cannot, and cost no look at the rows."""
    named = event.near_limit or event.awaits or worth_trying(event.explanation) or worth_unbuffering(event.explanation)
    has_leftovers = any(finding.code in LEFTOVERS for finding in event.explanation)
    return event.verdict in _BRING_ONE or bool(named) or has_leftovers
