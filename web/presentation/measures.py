"""What one run did, as this reader may see it.

Counts of hidden test cases are rounded for contestants: exact ones would let a program send out its input, digit by
digit, as a number of calls.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from judge.models import TestCaseResult
from judge.verdicts import Verdict
from web.presentation.charts import RunTimes
from web.presentation.units import significant

_MOST_NAMES_OF_HIDDEN = 8
_LEAST_SHARE_OF_HIDDEN = 0.01  # of all
STOPPED = frozenset({Verdict.TLE, Verdict.MLE, Verdict.OLE})


@dataclass(frozen=True, kw_only=True, slots=True)
class Measures:
    """The numbers of one run. `is_stopped`: the program was stopped at a limit, so its numbers are lower bounds."""

    times: RunTimes
    cpu_us: int
    wall_us: int
    queued_us: int
    peak_memory_bytes: int
    read_calls: int
    write_calls: int
    read_bytes: int
    write_bytes: int
    stdout_bytes: int
    stderr_bytes: int
    voluntary_switches: int
    involuntary_switches: int
    minor_faults: int
    major_faults: int
    is_stopped: bool

    @property
    def bytes_per_write(self) -> float | None:
        """Mean size of a write call; None when there was none."""
        return self.write_bytes / self.write_calls if self.write_calls else None


def is_exact_for(result: TestCaseResult, is_staff: bool) -> bool:
    """Whether this reader sees the numbers of this case as they are."""
    return is_staff or result.is_sample


def measures_of(result: TestCaseResult, is_staff: bool) -> Measures:
    """The numbers of one test case, rounded to three digits if it is hidden from this reader."""
    shown: Callable[[int], int] = int if is_exact_for(result, is_staff) else significant
    return Measures(
        times=RunTimes(
            user_us=shown(result.user_time_us),
            system_us=shown(result.system_time_us),
            waiting_us=shown(result.waiting_time_us),
        ),
        cpu_us=shown(result.user_time_us + result.system_time_us),
        wall_us=shown(result.wall_time_us),
        queued_us=shown(result.queued_time_us),
        peak_memory_bytes=shown(result.peak_memory_bytes),
        read_calls=shown(result.read_calls),
        write_calls=shown(result.write_calls),
        read_bytes=shown(result.read_bytes),
        write_bytes=shown(result.write_bytes),
        stdout_bytes=shown(result.stdout_bytes),
        stderr_bytes=shown(result.stderr_bytes),
        voluntary_switches=shown(result.voluntary_switches),
        involuntary_switches=shown(result.involuntary_switches),
        minor_faults=shown(result.minor_faults),
        major_faults=shown(result.major_faults),
        is_stopped=Verdict(result.verdict) in STOPPED,
    )


def shown_counts(counts: Mapping[str, int], is_exact: bool) -> dict[str, int]:
    """Counts by name, rounded to three digits unless this reader sees exact ones."""
    return {name: number if is_exact else significant(number) for name, number in counts.items()}


def names_that_matter(counts: Mapping[str, int]) -> dict[str, int]:
    """The few largest of counts by name: what contestants see of a hidden case's.

    There are 300 system calls: with a name for each digit of the input a program could else tell what it read.
    """
    least = sum(counts.values()) * _LEAST_SHARE_OF_HIDDEN
    largest = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST_NAMES_OF_HIDDEN]
    return {name: number for name, number in largest if number >= least}
