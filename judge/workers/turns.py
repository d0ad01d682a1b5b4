"""The time that a process spends on one piece of work, its deadline, and the work of others that it does in between.

How it works: what a process works on is a stack: between two steps of it others may go first, each in an attempt of its
own, and the time of what waits stands still, that of its deadline too. When a piece of work ends, its person is charged
its own time (`judge.queue.fairness`).

A rerun has a deadline. A timer of the process (setitimer(2)) is set for what it may take at most. When it runs out,
SIGALRM has its default effect: the process ends, whatever it is doing at that moment, even in code that lets no other
thread run. The pool starts another process, which takes the slot and gives back what the dead one held
(`judge.workers.reaper.take_back_from`); that costs the row an attempt.

For STRETCH_S a process goes on with what waits. Then Celery has its turn: it hands out the next wake-up, or ends the
process. Writing a verdict takes a twentieth of the time of judging a small program. If another submission waits, a
second thread writes, DELAY_S later: by then the main thread waits for the compiler. Before, the main thread claims and
opens jails, and Python runs one thread at a time. The process keeps the second thread and its database connection.
"""

import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from types import TracebackType

from django.db import Error, close_old_connections

from judge.grading.events import GradingJob
from judge.grading.running.execution import patient_limits, run_limits
from judge.grading.stages import Stage, Stopwatch
from judge.models import QueuedWork, Submission
from judge.queue import fairness, leases
from judge.reruns.kinds import RerunKind

STRETCH_S = 2.0
DELAY_S = 0.02
_ELSE_S = 120  # for compiling, opening jails, and readings by the limits of these, on a busy host
_logger = logging.getLogger(__name__)


@dataclass(kw_only=True, slots=True, eq=False)
class Turn:
    """One piece of work under way. `may_be_passed`: others of its line may go first; one that passes lets nobody pass.

    `others_s`: how long others took in between; `passed_s`: of that, those of its own line.
    """

    work: QueuedWork
    may_be_passed: bool
    others_s: float = 0.0
    passed_s: float = 0.0
    looked_at: float = field(default_factory=time.monotonic)
    begun_at: float = field(default_factory=time.monotonic)

    @property
    def spent_s(self) -> float:
        """The time that it has taken itself."""
        return time.monotonic() - self.begun_at - self.others_s

    @property
    def may_let_pass(self) -> bool:
        """Return whether others of its line may still go first: together they get as much time as it has had."""
        return self.may_be_passed and self.passed_s < max(self.spent_s, fairness.PASSING_S)


_under_way: list[Turn] = []  # of this process, the one that is worked on last


@contextmanager
def turn_of(work: QueuedWork, *, may_be_passed: bool = True) -> Iterator[Turn]:
    """Work on this in the `with`; afterwards its person is charged."""
    turn = Turn(work=work, may_be_passed=may_be_passed)
    _under_way.append(turn)
    try:
        yield turn
    finally:
        _under_way.remove(turn)
        try:
            fairness.charge(work, round(turn.spent_s * 1_000))
        except Error as error:
            _logger.warning("%s is not charged: %s", work, error)


@contextmanager
def in_between() -> Iterator[None]:
    """Do other people's work in the middle of one's own. A database failure ends this only."""
    waiting = _under_way[-1] if _under_way else None
    begun_at = time.monotonic()
    try:
        with standing_still():
            yield
    except Error as error:
        _logger.warning("who waits is looked for later: %s", error)
        leases.close_connection()
    finally:
        if waiting is not None:
            waiting.looked_at = time.monotonic()
            waiting.others_s += waiting.looked_at - begun_at


def longest_s(kind: RerunKind, job: GradingJob) -> float:
    """Return how long a rerun of this kind may take, in seconds of wall time without other people's work."""
    wall_s = patient_limits(run_limits(job.package.limits)).wall_time_ms / 1_000
    # on a full machine a run may take twice as long
    return _ELSE_S + kind.record.searching_s + kind.record.most_runs * 2 * wall_s


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """End this process unless the `with` ends before. Only a shorter one may begin in it; `standing_still` stops it."""
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


class Stretch:
    """The time in which a process does one piece of work after another. At its end all verdicts are written."""

    def __init__(self) -> None:
        self._until = time.monotonic() + STRETCH_S
        self._is_awaited = threading.Event()
        self._writing: list[Future[None]] = []

    def __enter__(self) -> "Stretch":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._wait()

    @property
    def has_time(self) -> bool:
        """Return whether there is time for another piece of work."""
        return time.monotonic() < self._until

    def has_next(self) -> bool:
        """Return whether there is time, and a submission that waits."""
        return self.has_time and leases.waiting(Submission).exists()

    def write_later(self, write: Callable[[], None], stopwatch: Stopwatch) -> None:
        """Have the second thread call `write`. Waits while it is still writing the verdict before."""
        with stopwatch.timed(Stage.QUEUE):
            self._wait()
        self._is_awaited.clear()
        self._writing.append(_second_thread().submit(self._write, write, stopwatch))

    def _write(self, write: Callable[[], None], stopwatch: Stopwatch) -> None:
        with stopwatch.timed(Stage.QUEUE):
            self._is_awaited.wait(DELAY_S)
        with suppress(Error):
            close_old_connections()
        write()

    def _wait(self) -> None:
        """Return when nothing is left to write. What failed concerns nothing that is done now: its lease runs out."""
        self._is_awaited.set()
        wait(self._writing)
        for verdict in self._writing:
            if error := verdict.exception():
                _logger.error("a verdict was not written", exc_info=error)
        self._writing.clear()


@cache
def _second_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "verdict")
