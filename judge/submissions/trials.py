"""The reruns that come with a verdict without a request: those that help most to see why a program was slow.

A finding that needs system calls by name: the case, to count them. When they are counted, or at once where none are
needed: after small writes the case with its output buffered, else after a time limit exceeded by computing its CPU
time by line, and a changed source, where a rule knows the remedy. Accepted barely within the time limit: further runs
of that case. They count against nobody and let all that students wait for go first.
"""

from collections.abc import Iterator, Sequence
from functools import cache, partial

from django.db import transaction
from django.db.models import F

from judge.grading.events import Finding, GradingFinished
from judge.grading.reruns.buffered import worth_trying
from judge.grading.reruns.fix import worth_fixing
from judge.grading.verdicts import Verdict
from judge.models import Assignment, CaseRerun, ExplanationLevel, RerunKind, Status, Submission, TestCaseResult
from judge.queue import wakeup
from judge.submissions import intake
from judge.submissions.cleaning import clean
from sandbox.meter.perf import sampling_problem

# of the judge's own, of each kind, that are open for one person: a classroom often makes one mistake together
MOST_OPEN = 2
MOST_LEFT_OUT = 50  # submissions of one person that are looked through for counts that are missing
_TOO_SLOW = (Verdict.TLE, Verdict.SLE)
# Findings that name something else than computing as what took the time.
NOT_COMPUTING = frozenset(
    {
        "flush-per-line",
        "unbuffered-stderr",
        "too-much-output",
        "waiting",
        "taking-turns",
        "slow-interactor",
        "unflushed-question",
        "unread-answers",
        "conversation-over",
    }
)


def request(submission: Submission, event: GradingFinished) -> None:
    """Queue the reruns that the findings suggest. To be called in the transaction of the verdict, or of the counts that
    its explanation waited for; `notify` follows it.

    Not when several of the kind still wait for the same person: a button asks for it then, and counts come when these
    have (`request_left_out`).
    """
    if not _may_bring_one(event):
        return
    for kind, case in _suggested(submission, event):
        _queue(submission, kind, case)


def request_left_out(user_id: int) -> None:
    """Queue the counts for which there was no room among this person's, of the newest submission that waits for some.

    To be called when other counts have come.
    """
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
    has_small_writes = bool(worth_trying(event.explanation))
    return event.verdict in _TOO_SLOW or bool(event.near_limit) or bool(event.awaits) or has_small_writes


def _suggested(submission: Submission, event: GradingFinished) -> Iterator[tuple[RerunKind, TestCaseResult]]:
    """Yield the reruns, each with its case."""
    if case := _case(submission, event.near_limit):
        yield RerunKind.REPEATS, case
    if event.awaits:
        named = submission.results.filter(attempt=submission.attempt, name__in=event.awaits)
        yield from ((RerunKind.PROFILE, case) for case in named)
        return  # what else helps depends on findings that are still to come
    small_writes = worth_trying(event.explanation)
    if case := _named(submission, small_writes):
        yield RerunKind.BUFFERED, case
    if not small_writes and (case := _computing(submission, event.explanation)):
        yield RerunKind.LINE_TIMES, case
    case = _named(submission, worth_fixing(event.explanation, event.verdict, submission.language))
    if case and _may_show_fix(submission):
        yield RerunKind.FIX, case


def _named(submission: Submission, case_name: str) -> TestCaseResult | None:
    """Return the case, where its output may be held back or its source changed; None for no name."""
    case = None if case_name and submission.problem_version.is_interactive else _case(submission, case_name)
    return case if case is not None and case.passes == 1 else None


def _case(submission: Submission, case_name: str) -> TestCaseResult | None:
    """Return the case; None for no name."""
    if not case_name:
        return None
    return submission.results.filter(attempt=submission.attempt, name=clean(case_name)[:200]).first()


def _computing(submission: Submission, findings: Sequence[Finding]) -> TestCaseResult | None:
    """Return the first case that was over the time limit by computing, where this host can sample."""
    if submission.verdict != Verdict.TLE or any(finding.code in NOT_COMPUTING for finding in findings):
        return None
    over = submission.results.filter(attempt=submission.attempt, verdict=Verdict.TLE, passes__lte=1).alias(
        cpu_time=F("user_time_us") + F("system_time_us")
    )
    limit_us = submission.problem_version.time_limit_ms * 1_000
    case = over.filter(cpu_time__gt=limit_us).order_by("position").first()
    return case if case is not None and _can_sample() else None


@cache
def _can_sample() -> bool:
    return sampling_problem() is None


def _may_show_fix(submission: Submission) -> bool:
    """Return whether its author may see a changed source: an instructor can choose that students do not."""
    level = Assignment.objects.level_for(submission.user_id, submission.problem_id)
    return level is ExplanationLevel.FIX
