"""The reruns that come with a verdict without a request: with the output buffered, and with a changed source."""

from functools import partial

from django.db import transaction

from judge.grading.events import GradingFinished
from judge.grading.reruns.buffered import worth_trying
from judge.grading.reruns.fix import worth_fixing
from judge.models import Assignment, CaseRerun, ExplanationLevel, RerunKind, Status, Submission
from judge.queue import wakeup
from judge.submissions.cleaning import clean

# of the judge's own, of each kind, that are open for one person: a classroom often makes one mistake together
_MOST_TRIALS = 2


def request(submission: Submission, event: GradingFinished) -> None:
    """Queue the reruns that the findings suggest. To be called in the verdict's transaction; `notify` follows it."""
    for kind, case_name in _suggested(submission, event).items():
        _request(submission, kind, case_name)


def notify(submission: Submission, event: GradingFinished) -> None:
    """Notify workers of what `request` has queued, after the commit."""
    if not _suggested(submission, event):
        return
    own = CaseRerun.objects.filter(result__submission=submission, result__attempt=submission.attempt)
    for rerun in own.filter(is_automatic=True, status=Status.QUEUED):
        transaction.on_commit(partial(wakeup.notify, rerun))


def _suggested(submission: Submission, event: GradingFinished) -> dict[RerunKind, str]:
    """Return the reruns, each with the name of its case."""
    cases = {
        RerunKind.BUFFERED: worth_trying(event.explanation),
        RerunKind.FIX: worth_fixing(event.explanation, event.verdict, submission.language),
    }
    return {kind: case_name for kind, case_name in cases.items() if case_name}


def _request(submission: Submission, kind: RerunKind, case_name: str) -> None:
    """Queue one rerun, where that can be. Not when several of the kind still wait for the same person: a button asks
    for it then.
    """
    named = submission.results.filter(attempt=submission.attempt, name=clean(case_name)[:200])
    case = named.first()
    if case is None or case.passes > 1 or submission.problem_version.is_interactive:
        return
    if kind is RerunKind.FIX and not _may_show_fix(submission):
        return
    own = CaseRerun.objects.filter(is_automatic=True, examination=kind, result__submission__user=submission.user_id)
    if own.exclude(status=Status.DONE).count() < _MOST_TRIALS:
        CaseRerun.objects.create(result=case, examination=kind, is_automatic=True)


def _may_show_fix(submission: Submission) -> bool:
    """Return whether its author may see a changed source: an instructor can choose that students do not."""
    level = Assignment.objects.level_for(submission.user_id, submission.problem_id)
    return level is ExplanationLevel.FIX
