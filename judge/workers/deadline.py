"""A deadline for a rerun: the kernel ends a process whose rerun outlives its limits.

How it works: a timer of the process (setitimer(2)) is set for what the rerun may take at most, and stands still while
the process does other people's work. When it runs out, SIGALRM has its default effect: the process ends, whatever it is
doing at that moment, even in code that lets no other thread run. The pool starts another process, which takes the slot
and gives back what the dead one held (`judge.workers.reaper.take_back_from`); that costs the row an attempt.
"""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from judge.grading.events import GradingJob
from judge.grading.running.execution import patient_limits, run_limits
from judge.reruns.kinds import RerunKind

_ELSE_S = 120  # for compiling, opening jails, and readings by the limits of these, on a busy host


def longest_s(kind: RerunKind, job: GradingJob) -> float:
    """Return how long a rerun of this kind may take, in seconds of wall time without other people's work."""
    wall_s = patient_limits(run_limits(job.package.limits)).wall_time_ms / 1_000
    return (
        _ELSE_S + kind.record.searching_s + kind.record.most_runs * 2 * wall_s
    )  # on a full machine a run may take twice as long


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """End this process unless the `with` ends before. In it, only one that is shorter may begin, and time stands still
    in `standing_still`.
    """
    begun = time.monotonic()
    left_s, _ = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        _go_on(left_s, time.monotonic() - begun)


@contextmanager
def standing_still() -> Iterator[None]:
    """Let the time of the current deadline, if there is one, stand still."""
    left_s, _ = signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        yield
    finally:
        _go_on(left_s, 0)


def _go_on(left_s: float, passed_s: float) -> None:
    """Continue with the deadline around this one, which has at least a moment left; 0: there is none."""
    signal.setitimer(signal.ITIMER_REAL, max(0.1, left_s - passed_s) if left_s else 0)
