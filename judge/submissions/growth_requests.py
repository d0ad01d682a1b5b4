"""Whether extra runs may tell more about a program's growth than its cases do, and the case whose row keeps them.

They are about the whole program; the case is the slowest one that was judged, a secret one if there is one.
"""

from collections.abc import Sequence
from typing import TypeVar

from judge.grading.verdicts import Verdict
from judge.models import MeasuredCase, Submission
from judge.reruns.suggestions import NOT_COMPUTING

CaseT = TypeVar("CaseT", bound=MeasuredCase)

ENOUGH_CASES = 6  # with so many in the fit, extra runs add little
_FEWEST_CASES = 5  # of a problem without a generator: to fit four, and one for the start


def keeper(results: Sequence[CaseT]) -> CaseT | None:
    """Return the case whose row keeps the growth; None without a case."""
    return max(results, key=lambda case: (not case.is_sample, case.cpu_time_us, -case.position), default=None)


def may_tell(submission: Submission, results: Sequence[MeasuredCase]) -> bool:
    """Return whether there are inputs to run on, and the judged cases tell the growth badly or not at all."""
    version = submission.problem_version
    if not submission.is_done or not results or version.is_interactive or version.most_passes > 1:
        return False
    if submission.verdict == Verdict.JE:
        return False
    cases = submission.test_case_count or 0
    # More may be known of cases that were not judged, and of one that a time limit stopped: extra runs have more time.
    has_news = len(results) < cases or any(case.verdict == Verdict.TLE for case in results)
    has_inputs = version.has_growth_generator or (cases >= _FEWEST_CASES and has_news)
    findings = (finding for finding in submission.explanation if finding.code == "growth")
    return has_inputs and all(finding.evidence.get("test_cases", 0) < ENOUGH_CASES for finding in findings)


def is_slow_by_computing(submission: Submission, results: Sequence[MeasuredCase]) -> bool:
    """Return whether it took over half of the time limit, and no finding names something else than computing."""
    limit_us = submission.problem_version.time_limit_ms * 1_000
    is_slow = submission.verdict == Verdict.TLE or any(2 * case.cpu_time_us > limit_us for case in results)
    return is_slow and not any(finding.code in NOT_COMPUTING for finding in submission.explanation)
