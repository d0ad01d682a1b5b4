"""The numbers of all judged cases of a submission together, as far as a reader may see them."""

from dataclasses import dataclass

from judge.models import TestCaseResult
from judge.verdicts import Verdict
from web.presentation.measures import measures_of
from web.presentation.sight import Sight
from web.presentation.units import significant


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
    read_calls: int
    write_calls: int


def totals_of(results: list[TestCaseResult], sight: Sight, *, is_done: bool) -> Totals | None:
    """The totals that a reader may see of these results; None without any."""
    sees_totals = sight.sees_totals(is_done)
    counted = [result for result in results if sees_totals or sight.sees_numbers(result)]
    if not counted:
        return None
    shown = [measures_of(result, sight.sees_all) for result in counted]
    is_exact = sight.sees_all or all(result.is_sample for result in counted)
    reads, writes = sum(each.read_calls for each in shown), sum(each.write_calls for each in shown)
    return Totals(
        is_of_samples=not sees_totals,
        accepted=_accepted(results) if is_done or sight.sees_all_verdicts() else None,
        judged=len(results),
        cpu_us=max(each.cpu_us for each in shown),
        peak_memory_bytes=max(each.peak_memory_bytes for each in shown),
        read_calls=reads if is_exact else significant(reads),
        write_calls=writes if is_exact else significant(writes),
    )


def _accepted(results: list[TestCaseResult]) -> int:
    return sum(result.verdict == Verdict.AC for result in results)
