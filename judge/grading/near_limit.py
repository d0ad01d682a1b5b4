"""Near the time limit a single run proves little: which cases are near, which run of a case counts, what is repeated.

A case over the limit by at most `NEAR_PERCENT` is run again before its verdict, at most `MORE_RUNS` times, until a run
is within the limit: noise on a shared machine only ever adds time, so the fastest run counts. The cost is at most two
more runs of each case that is barely over the limit.

An accepted program whose slowest case used at least `100 - NEAR_PERCENT` per cent has its verdict at once. After it the
case is run a few times more (`judge.grading.reruns.repeats`), which says how sure the verdict is and never changes it.

The limit is for each pass of a case of several passes, so the slowest pass is what is near it or not.
"""

from collections.abc import Sequence
from operator import itemgetter

from judge.grading.events import CaseJudged
from judge.grading.verdicts import Verdict
from sandbox.types import Limits

NEAR_PERCENT = 15
MORE_RUNS = 2


def is_near(cpu_time_us: int, time_limit_ms: int) -> bool:
    """Return whether a CPU time is at most `NEAR_PERCENT` below or above the limit."""
    return abs(cpu_time_us - time_limit_ms * 1_000) <= time_limit_ms * 10 * NEAR_PERCENT


def is_barely_over(cpu_time_us: int, time_limit_ms: int) -> bool:
    """Return whether a CPU time is near the limit, or below it."""
    return cpu_time_us <= time_limit_ms * 10 * (100 + NEAR_PERCENT)


def stopped_at_us(time_limit_ms: int) -> int:
    """Return the CPU time at which a run over the limit is stopped: a run that used as much may have needed more."""
    return time_limit_ms * 10 * (100 + Limits().overrun_percent)


def limited_us(cpu_time_us: int, passes: int, run_times: Sequence[int] | None) -> int | None:
    """Return the CPU time that the limit was for in the run that counts; None: passes of which none came near it.

    The arguments are those of `judge.grading.events.CaseJudged`.
    """
    if passes <= 1:
        return cpu_time_us
    return min(run_times) if run_times else None


def worth_repeating(verdict: Verdict, judged: Sequence[CaseJudged], time_limit_ms: int) -> str:
    """Return the name of the case that decided barely that a program is accepted; "" if none did."""
    if verdict is not Verdict.AC:
        return ""
    times = [(limited_us(case.usage.cpu_time_us, case.passes, case.run_times), case.name) for case in judged]
    slowest_us, name = max(
        ((time, name) for time, name in times if time is not None), key=itemgetter(0), default=(0, "")
    )
    return name if is_near(slowest_us, time_limit_ms) else ""
