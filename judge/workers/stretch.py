"""Do one piece of work after another, and write each verdict while the next program is being compiled.

How it works: for STRETCH_S a process goes on with what waits. Then Celery has its turn: it hands out the next wake-up,
or ends the process.

Writing a verdict takes a twentieth of the time of judging a small program. If another submission waits, a second thread
writes, DELAY_S later: by then the main thread waits for the compiler. Before, the main thread claims and opens jails,
and Python runs one thread at a time. The process keeps the second thread and its database connection.
"""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import cache
from types import TracebackType

from django.db import Error, close_old_connections

from judge.grading.stages import Stage, Stopwatch
from judge.models import Submission
from judge.queue import leases

STRETCH_S = 2.0
DELAY_S = 0.02

_logger = logging.getLogger(__name__)


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
