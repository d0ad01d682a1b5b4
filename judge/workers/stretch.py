"""Grade one submission after another, and write each verdict while the next program is being compiled.

How it works: for STRETCH_S a process reads the notifications of submissions itself: by way of Celery each would pass
through two processes. Then Celery has its turn: it hands out what else has come, or ends the process.

To write a verdict takes as long as a twentieth of judging a small program. If a next submission waits, a second thread
does it, DELAY_S later, when the first one waits for the compiler. Before that it claims the submission and opens its
jails, and only one thread at a time can run Python. The second thread and its database connection are kept.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from types import TracebackType

from django.db import close_old_connections

from judge.grading.stages import Stage, Stopwatch
from judge.models import Submission
from judge.queue import wakeup

STRETCH_S = 2.0
DELAY_S = 0.02


class Stretch:
    """The time in which a process takes one submission after another. At its end all verdicts are written."""

    def __init__(self) -> None:
        self._until = time.monotonic() + STRETCH_S
        self._is_awaited = threading.Event()
        self._writing: list[Future[None]] = []

    def __enter__(self) -> "Stretch":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._is_awaited.set()
        for each in self._writing:
            each.result()

    def has_next(self) -> bool:
        """Return whether there is time, and a notification."""
        return time.monotonic() < self._until and bool(wakeup.pending_wakeups(Submission.PRECEDENCE))

    def take_next(self) -> bool:
        """Return whether there is time, and a notification of a submission, which is read."""
        return time.monotonic() < self._until and wakeup.take(Submission)

    def write_later(self, write: Callable[[], None], stopwatch: Stopwatch) -> None:
        """Have the second thread call `write`. Waits while it is still writing the verdict before."""
        self._is_awaited.set()
        wait(self._writing)
        self._is_awaited.clear()
        self._writing.append(_second_thread().submit(self._write, write, stopwatch))

    def _write(self, write: Callable[[], None], stopwatch: Stopwatch) -> None:
        with stopwatch.timed(Stage.QUEUE):
            self._is_awaited.wait(DELAY_S)
        close_old_connections()
        write()


@cache
def _second_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "verdict")
