"""Probe something that may not answer, without waiting long for it.

How it works: one thread looks, once at a time. Who asks gets what was found less than `fresh_s` ago, or waits for the
look that is under way, which may take longer than anybody's patience. So a service that hangs holds one thread and one
database connection at most, however often it is asked for.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar

from django.db import close_old_connections

FoundT = TypeVar("FoundT")


class Probe(Generic[FoundT]):
    """Runs `look` in a thread and returns its result, or `silent` if it takes longer than PATIENCE_S."""

    PATIENCE_S = 2.0

    def __init__(self, look: Callable[[], FoundT], *, silent: FoundT, fresh_s: float = 0.0) -> None:
        self._look = look
        self._silent = silent
        self._fresh_s = fresh_s
        self._lock = Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="probe")
        self._looking: Future[FoundT] | None = None
        self._began = 0.0

    def found(self) -> FoundT:
        """Return the current result. Raises what `look` raises."""
        with self._lock:
            is_old = time.monotonic() - self._began >= self._fresh_s
            if self._looking is None or (self._looking.done() and is_old):
                self._looking, self._began = self._thread.submit(self._once), time.monotonic()
            looking = self._looking
        try:
            return looking.result(timeout=self.PATIENCE_S)
        except TimeoutError:
            return self._silent

    def _once(self) -> FoundT:
        try:
            return self._look()
        finally:
            close_old_connections()
