"""Near the time limit a single run proves little: which cases are near, which run of a case counts, what is repeated.

A case over the limit by at most `OVER_PERCENT` is run again before its verdict, at most `MORE_RUNS` times, until a run
is within the limit: noise on a shared machine only ever adds time, so the fastest run counts. A run over the limit goes
on until `OVERRUN_PERCENT`, so that its time is known. The cost is at most three more runs of each case that is barely
over the limit.

An accepted program whose slowest case used at least `100 - NEAR_PERCENT` per cent has its verdict at once. After it the
case is run a few times more (`judge.grading.reruns.repeats`), which says how sure the verdict is and never changes it.

If no case is near the limit on CPU time, the case that took longest on the clock counts in the same way. It is not run
again before its verdict: a run that waited until the wall time limit costs at least 2 s, and the sandbox has made it
again already if something else may have held it up (`sandbox.jail.doubt`).

The limit is for each pass of a case of several passes, so the slowest pass is what is near it or not.
"""

from collections.abc import Sequence

from judge.grading.events import CaseJudged
from judge.grading.verdicts import Verdict

NEAR_PERCENT = 15
OVER_PERCENT = 25
OVERRUN_PERCENT = 30
MORE_RUNS = 3


def is_near(cpu_time_us: int, time_limit_ms: int) -> bool:
    """Return whether a CPU time is at most `NEAR_PERCENT` below or above the limit."""
    return abs(cpu_time_us - time_limit_ms * 1_000) <= time_limit_ms * 10 * NEAR_PERCENT


def is_barely_over(cpu_time_us: int, time_limit_ms: int) -> bool:
    """Return whether a CPU time is at most `OVER_PERCENT` above the limit, or below it."""
    return cpu_time_us <= time_limit_ms * 10 * (100 + OVER_PERCENT)


def stopped_at_us(time_limit_ms: int) -> int:
    """Return the CPU time at which a run over the limit is stopped: a run that used as much may have needed more."""
    return time_limit_ms * 10 * (100 + OVERRUN_PERCENT)


def wall_limit_ms(time_limit_ms: int) -> int:
    """Return the limit on wall time. It is looser than that on CPU time: three times, at least 2 s more."""
    return max(3 * time_limit_ms, time_limit_ms + 2_000)


def clock_us(wall_time_us: int, queued_time_us: int, passes: int = 1) -> int:
    """Return the time on the clock that the wall limit is for; 0 for several passes, of which no such time is kept."""
    return max(0, wall_time_us - queued_time_us) if passes <= 1 else 0


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
    cpu_times = {case.name: limited_us(case.usage.cpu_time_us, case.passes, case.run_times) or 0 for case in judged}
    clock_times = {
        case.name: clock_us(case.usage.wall_time_us, case.usage.queued_time_us, case.passes) for case in judged
    }
    for times, limit_ms in ((cpu_times, time_limit_ms), (clock_times, wall_limit_ms(time_limit_ms))):
        name = max(times, key=lambda name: times[name], default="")
        if name and is_near(times[name], limit_ms):
            return name
    return ""
