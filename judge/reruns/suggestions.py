"""The cases that a verdict has run again without a request, for each kind of rerun."""

from collections.abc import Iterable
from functools import cache

from django.db.models import F

from judge.grading.events import GradingFinished
from judge.grading.explain import RULES
from judge.grading.languages import LANGUAGES
from judge.grading.reruns.reasons import is_locatable, lacks_line, worth_fixing, worth_trying
from judge.grading.verdicts import Verdict
from judge.models import Assignment, ExplanationLevel, Submission, TestCaseResult
from problems.columns import clean
from sandbox.meter.perf import sampling_problem

Cases = Iterable[TestCaseResult]
# Findings that name something else than computing as what took the time.
NOT_COMPUTING = frozenset(rule.code for rule in RULES if not rule.leaves_time_open)


def none(_submission: Submission, _event: GradingFinished) -> Cases:
    """Suggest no case: somebody has to ask."""
    return ()


def awaiting_counts(submission: Submission, event: GradingFinished) -> Cases:
    """Return the cases whose calls by name findings wait for."""
    if not event.awaits:
        return ()
    return submission.results.filter(attempt=submission.attempt, name__in=event.awaits)


def near_limit(submission: Submission, event: GradingFinished) -> Cases:
    """Return the case that was accepted barely within the time limit."""
    return _case(submission, event.near_limit)


def small_writes(submission: Submission, event: GradingFinished) -> Cases:
    """Return the case with small writes. No other finding may still be to come."""
    return () if event.awaits else _single_run(submission, worth_trying(event.explanation))


def computing(submission: Submission, event: GradingFinished) -> Cases:
    """Return the first case that was over the time limit by computing, where this host can sample."""
    if event.awaits or worth_trying(event.explanation) or submission.verdict != Verdict.TLE:
        return ()
    if any(finding.code in NOT_COMPUTING for finding in event.explanation) or not _can_sample():
        return ()
    over = submission.results.filter(attempt=submission.attempt, verdict=Verdict.TLE, passes__lte=1).alias(
        cpu_time=F("user_time_us") + F("system_time_us")
    )
    limit_us = submission.problem_version.time_limit_ms * 1_000
    return over.filter(cpu_time__gt=limit_us).order_by("position")[:1]


def fixable(submission: Submission, event: GradingFinished) -> Cases:
    """Return the case with a finding that some fix answers, where its author may see a changed source: an instructor
    can choose that students do not.
    """
    name = "" if event.awaits else worth_fixing(event.explanation, event.verdict, submission.language)
    cases = _single_run(submission, name)
    if not cases:
        return ()
    level = Assignment.objects.level_for(submission.user_id, submission.problem_id)
    return cases if level is ExplanationLevel.FIX else ()


def crashed(submission: Submission, _event: GradingFinished) -> Cases:
    """Return the first case that failed, where a signal ended it in a line that another run can tell."""
    if submission.verdict != Verdict.RE or not is_locatable(LANGUAGES.get(submission.language)):
        return ()
    failed = submission.results.filter(attempt=submission.attempt, verdict=Verdict.RE).order_by("position")[:1]
    return [case for case in failed if lacks_line(case.ending, case.passes)]


def _single_run(submission: Submission, case_name: str) -> list[TestCaseResult]:
    """Return the case, where its output may be held back or its source changed."""
    if not case_name or submission.problem_version.is_interactive:
        return []
    return [case for case in _case(submission, case_name) if case.passes == 1]


def _case(submission: Submission, case_name: str) -> list[TestCaseResult]:
    if not case_name:
        return []
    return list(submission.results.filter(attempt=submission.attempt, name=clean(case_name)[:200])[:1])


@cache
def _can_sample() -> bool:
    return sampling_problem() is None
