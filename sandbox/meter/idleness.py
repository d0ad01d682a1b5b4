"""Stop a profile pass that idles: once its program has waited for a second in all, it must not block the host.

How it works: while a pass is on, a thread of the host looks every _LOOK_S at the groups of its runs. Of the time since
the last look, what was CPU time, or time that a thread was ready and got no core (/proc/TID/schedstat), was work; the
rest was waiting. A program that computes is never stopped, however busy the machine is. Of two programs that talk it is
enough that one works. Not counted is the time before the first and after the last process: that is ours.

What is not seen: the time without a core of threads that began and ended between two looks. Their CPU time is.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from sandbox.cgroups.cgroup import RunGroup
from sandbox.errors import CgroupError

MOST_IDLE_S = 1.0  # of a pass in all
_LOOK_S = 0.05
_LATE_S = 0.1  # so late may the kernel's books be: a running thread's grow at the scheduler's ticks


class IdleWatch:
    """Watches one pass. `has_cut`: the pass was stopped for waiting too long."""

    def __init__(self, groups: Sequence[RunGroup]) -> None:
        self.has_cut = False
        self._groups = groups
        self._queued_s: dict[int, float] = {}  # by thread: what was seen last
        self._idle_s = self._most_idle_s = 0.0
        self._cpu_s = 0.0
        self._last_look = 0.0
        self._is_over = threading.Event()
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._look_again_and_again, name="idleness", daemon=True)

    def start(self) -> None:
        """Begin watching, before the run starts. Raises CgroupError."""
        self._cpu_s, self._last_look = self._cpu_time_s(), time.monotonic()
        try:
            self._thread.start()
        except RuntimeError as error:
            raise CgroupError(f"a profile pass cannot be looked at: {error}") from error

    def close(self) -> None:
        """Stop watching; the thread has ended afterwards."""
        self._is_over.set()
        if self._thread.ident is not None:
            self._thread.join()

    def finish(self) -> None:
        """Stop watching. Raises CgroupError when the pass could not be watched to its end."""
        self.close()
        if self._error is not None:
            raise CgroupError(f"a profile pass could not be looked at: {self._error}") from self._error

    def _look_again_and_again(self) -> None:
        try:
            while not self._is_over.wait(_LOOK_S):
                self._look()
                if self._most_idle_s > MOST_IDLE_S:
                    self.has_cut = True
                    for group in self._groups:  # in each round again: it may be making processes
                        group.kill()
        except Exception as error:  # noqa: BLE001 - whatever it is, nobody looks any more: `finish` raises it
            self._error = error

    def _look(self) -> None:
        now, cpu_s = time.monotonic(), self._cpu_time_s()
        queued = {thread: _queued_s(thread) for group in self._groups for thread in group.threads()}
        waited_s = sum(max(0.0, value - self._queued_s.get(thread, 0.0)) for thread, value in queued.items())
        passed_s, worked_s = now - self._last_look, cpu_s - self._cpu_s + waited_s
        if queued and self._queued_s:
            # CPU time that comes late makes up for what looked idle; that of many threads at once buys no sleep
            self._idle_s = max(self._idle_s + passed_s - worked_s, self._most_idle_s - _LATE_S)
            self._most_idle_s = max(self._most_idle_s, self._idle_s)
        self._last_look, self._cpu_s, self._queued_s = now, cpu_s, queued

    def _cpu_time_s(self) -> float:
        return sum(group.cpu_time_us() for group in self._groups) / 1_000_000


@contextmanager
def stopping_idlers(groups: Sequence[RunGroup]) -> Iterator[IdleWatch]:
    """Stop the programs in these groups once they have waited for MOST_IDLE_S in all. Raises CgroupError."""
    watch = IdleWatch(groups)
    try:
        watch.start()
        yield watch
        watch.finish()
    finally:
        watch.close()


def _queued_s(thread: int) -> float:
    """Return how long a thread was ready without a core: the second number of its schedstat; 0 where the kernel has
    none.
    """
    with suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/{thread}/schedstat").read_text().split()[1]) / 1e9
    return 0.0
