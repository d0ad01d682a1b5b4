"""Reruns that nobody asked for: with the verdict comes the one that helps most to see why a program was slow.

Small writes: the case with its output buffered. Else a time limit exceeded by computing: its CPU time by line. They
count against nobody and let all that students wait for go first. Of one person's at most a few are open: a classroom
often makes one mistake together.
"""

from collections.abc import Sequence
from functools import cache, partial

from django.db import transaction
from django.db.models import F

from judge.grading.events import Finding
from judge.grading.verdicts import Verdict
from judge.models import CaseRerun, RerunKind, Status, Submission, TestCaseResult
from judge.queue import wakeup
from sandbox.meter.perf import sampling_problem

MOST_OPEN = 2  # for one person; a button asks for more
# Findings that name something else than computing as what took the time.
_NOT_COMPUTING = frozenset(
    {
        "flush-per-line",
        "unbuffered-stderr",
        "too-much-output",
        "waiting",
        "taking-turns",
        "slow-interactor",
        "unflushed-question",
        "conversation-over",
    }
)


def request_rerun(submission: Submission, findings: Sequence[Finding], case_name: str) -> None:
    """Queue the rerun that is worth it, if any, in the transaction of the verdict; `notify` follows its commit.

    `case_name`: the case that its findings suggest to try buffered; "" for none.
    """
    if not _may_bring_one(submission, case_name):
        return
    case, kind = _buffered(submission, case_name), RerunKind.BUFFERED
    if case is None and not case_name:
        case, kind = _computing(submission, findings), RerunKind.LINE_TIMES
    if case is None or case.passes > 1:
        return
    own = CaseRerun.objects.filter(is_automatic=True, result__submission__user=submission.user_id)
    if own.exclude(status=Status.DONE).count() < MOST_OPEN:
        CaseRerun.objects.create(result=case, examination=kind, is_automatic=True)


def notify(submission: Submission, case_name: str) -> None:
    """Wake a worker for the rerun that came with the verdict, if one did."""
    if not _may_bring_one(submission, case_name):
        return
    own = CaseRerun.objects.filter(result__submission=submission, result__attempt=submission.attempt)
    for request in own.filter(is_automatic=True, status=Status.QUEUED):
        transaction.on_commit(partial(wakeup.notify, request))


def _may_bring_one(submission: Submission, case_name: str) -> bool:
    """Return whether the verdict can bring a rerun: most cannot, and cost no look at the rows."""
    return bool(case_name) or submission.verdict == Verdict.TLE


def _buffered(submission: Submission, case_name: str) -> TestCaseResult | None:
    if not case_name or submission.problem_version.is_interactive:
        return None
    return submission.results.filter(attempt=submission.attempt, name=case_name).first()


def _computing(submission: Submission, findings: Sequence[Finding]) -> TestCaseResult | None:
    """Return the first case that was over the time limit by computing, where this host can sample."""
    if submission.verdict != Verdict.TLE or any(finding.code in _NOT_COMPUTING for finding in findings):
        return None
    over = submission.results.filter(attempt=submission.attempt, verdict=Verdict.TLE).alias(
        cpu_time=F("user_time_us") + F("system_time_us")
    )
    limit_us = submission.problem_version.time_limit_ms * 1_000
    case = over.filter(cpu_time__gt=limit_us).order_by("position").first()
    return case if case is not None and _can_sample() else None


@cache
def _can_sample() -> bool:
    return sampling_problem() is None
