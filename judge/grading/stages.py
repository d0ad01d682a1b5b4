"""Record where the time from submission to verdict went.

How it works: a `Stopwatch` starts when a worker has taken the row (it belongs to the `Lease`). Whoever does a stage's
work does it in `timed`. The hand is always on exactly one stage: what is done inside another stage counts for the inner
one alone, and what nobody named is OTHER, so the parts add up to all that passed. The grading core times compiling,
running, checking, profiling and explaining, `judge.submissions.records` times writing and telling. What the grading is
held up by between two of its events is whoever's who takes the events: see `grading.grade`.

QUEUE comes from the database's clock instead: from the row's beginning until its last claim, an earlier attempt
included that failed by our own fault. The column `stages` is written with the verdict, in microseconds. So it cannot
hold what that one statement, its commit, and the announcement after it took.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum

TOTAL = "total"


class Stage(StrEnum):
    """A stage that takes time."""

    QUEUE = "queue"  # it waited for a worker, or stood aside for somebody else's submission
    COMPILE = "compile"
    RUN = "run"  # the program on the test cases; of an interactive problem with the interactor beside it
    CHECK = "check"  # the checker's answers
    PROFILE = "profile"  # the runs under the kernel meter; of a submission they come after its verdict, as reruns
    EXPLAIN = "explain"
    WRITE = "write"  # into the database
    PUSH = "push"  # telling the pages
    OTHER = "other"  # opening the package and the jails, cleaning up


class Stopwatch:
    """Counts the time since its creation, stage by stage. Not thread-safe."""

    def __init__(self, clock_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._clock_ns = clock_ns
        self._spent_ns = dict.fromkeys(Stage, 0)
        self._stages = [Stage.OTHER]
        self._since_ns = clock_ns()

    @contextmanager
    def timed(self, stage: Stage) -> Iterator[None]:
        """Count the time in the `with` for the stage. A generator must not yield its events in it."""
        self._turn()
        self._stages.append(stage)
        try:
            yield
        finally:
            self._turn()
            self._stages.pop()

    def spent_us(self) -> dict[Stage, int]:
        """Return each stage's time so far."""
        self._turn()
        return {stage: spent // 1_000 for stage, spent in self._spent_ns.items()}

    def _turn(self) -> None:
        now_ns = self._clock_ns()
        self._spent_ns[self._stages[-1]] += now_ns - self._since_ns
        self._since_ns = now_ns


def as_kept(spent_us: Mapping[Stage, int], queued_since: datetime, started_at: datetime) -> dict[str, int]:
    """Return the stored column: each stage by its name, and under TOTAL their sum."""
    queued_us = int((started_at - queued_since).total_seconds() * 1_000_000)
    columns = {stage.value: spent_us[stage] for stage in Stage}
    columns[Stage.QUEUE.value] += max(0, queued_us)
    return columns | {TOTAL: sum(columns.values())}
