"""The numbers of all judged cases of a submission together, as far as a reader may see them."""

from dataclasses import dataclass

from judge.grading.verdicts import Verdict
from judge.models import Submission, TestCaseResult
from problems.models import ProblemVersion
from web.presentation.measures import total_of
from web.presentation.rounding import EXACT
from web.presentation.visibility import Visibility


@dataclass(frozen=True, kw_only=True, slots=True)
class Totals:
    """The numbers of all judged cases together: the largest time and memory, the sums of calls.

    `is_of_samples`: only of those, since the reader may not see those of all before all are judged. `accepted` is of
    all cases, None where the reader may not follow it.
    """

    is_of_samples: bool
    accepted: int | None
    judged: int
    cpu_us: int
    peak_memory_bytes: int
    read_calls: int | None  # None: not kept
    write_calls: int | None


def totals_of(
    results: list[TestCaseResult], visibility: Visibility, version: ProblemVersion, *, is_done: bool
) -> Totals | None:
    """Return the totals that a reader may see of these results; None without any."""
    sees_totals = visibility.sees_totals(is_done)
    counted = [result for result in results if sees_totals or visibility.sees_numbers(result)]
    if not counted:
        return None
    shown = EXACT if all(result.is_sample for result in counted) else visibility.rounding_of_hidden(version)
    together = total_of(counted, shown)
    return Totals(
        is_of_samples=not sees_totals,
        accepted=_accepted(results) if is_done or visibility.sees_all_verdicts() else None,
        judged=len(results),
        cpu_us=shown.cpu_time_us(max(each.cpu_time_us for each in counted)),
        peak_memory_bytes=together["peak_memory_bytes"],
        read_calls=together["read_calls"],
        write_calls=together["write_calls"],
    )


def kept_totals(submission: Submission, visibility: Visibility) -> Totals | None:
    """Return the totals that the submission itself keeps, as this reader may see them; None without any."""
    shown = visibility.rounding_of_hidden(submission.problem_version)
    cpu_us, memory = submission.max_cpu_time_us, submission.max_peak_memory_bytes
    if cpu_us is None or memory is None:
        return None
    calls = submission.total_write_calls
    return Totals(
        is_of_samples=False,
        accepted=None,
        judged=submission.test_case_count or 0,
        cpu_us=shown.cpu_time_us(cpu_us),
        peak_memory_bytes=shown.memory_bytes(memory),
        read_calls=None,
        write_calls=None if calls is None else shown.of_sums().write_calls(calls),
    )


def _accepted(results: list[TestCaseResult]) -> int:
    return sum(result.verdict == Verdict.AC for result in results)
