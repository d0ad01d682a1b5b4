"""The timeline of a run: CPU time and switches, sampled while it runs.

How it works: a thread of the host wakes at an interval and reads the CPU account of the run's group and, of each
thread in it, both kinds of switches from /proc/TID/status. Of a thread that has ended, what was seen last still counts;
what it did after that, and threads that lived between two looks, are only in the totals at the end.

What it disturbs: nothing when it is off. When it is on, the host works during the run, about 0.1 ms each time and
0.02 ms more for each thread. Where it shares the program's core, that shows as queued time and involuntary switches.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from sandbox.cgroups.cgroup import RunGroup
from sandbox.errors import CgroupError, LimitsError
from sandbox.types import TimelinePoint, Usage

MOST_POINTS = 200
_LONGEST_MS = 60_000
_KINDS = ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")


class Sampler:
    """Samples one run. Its points count from `start` by the host's clock until `finish` knows the real start."""

    def __init__(self, group: RunGroup, every_ms: int) -> None:
        self._group = group
        self._every_s = every_ms / 1_000
        self._cpu_before_us = 0
        self._switches: dict[int, tuple[int, int]] = {}  # by thread: what was seen last
        self._points: list[TimelinePoint] = []  # at_us: of CLOCK_MONOTONIC
        self._is_over = threading.Event()
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._look_again_and_again, name="timeline", daemon=True)

    def start(self) -> None:
        """Begin sampling just before the run. Raises CgroupError."""
        self._cpu_before_us = self._group.cpu_time_us()
        try:
            self._thread.start()
        except RuntimeError as error:
            raise CgroupError(f"a run cannot be looked at: {error}") from error

    def finish(self, started_us: int, usage: Usage) -> tuple[TimelinePoint, ...]:
        """Return the points, the run's totals as the last. `started_us`: of CLOCK_MONOTONIC. Raises CgroupError."""
        self.close()
        if self._error is not None:
            raise CgroupError(f"a run could not be looked at to its end: {self._error}") from self._error
        return points_of(self._points, started_us, usage)

    def close(self) -> None:
        """Stop sampling; the thread has ended afterwards."""
        self._is_over.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _look_again_and_again(self) -> None:
        try:
            while not self._is_over.wait(self._every_s):
                self._points.append(self._look())
                if len(self._points) >= 2 * MOST_POINTS:
                    del self._points[::2]
                    self._every_s *= 2
        except Exception as error:  # noqa: BLE001 - whatever it is, the timeline is cut: `finish` raises it
            self._error = error

    def _look(self) -> TimelinePoint:
        for thread in self._group.threads():
            with suppress(FileNotFoundError, ProcessLookupError):  # it has ended
                last_lines = Path(f"/proc/{thread}/status").read_text().splitlines()[-2:]
                values = dict(line.split(":\t", 1) for line in last_lines)
                if set(values) != set(_KINDS):
                    raise CgroupError(f"/proc/{thread}/status does not end with the switches")
                self._switches[thread] = int(values[_KINDS[0]]), int(values[_KINDS[1]])
        return TimelinePoint(
            at_us=time.monotonic_ns() // 1_000,
            cpu_time_us=self._group.cpu_time_us() - self._cpu_before_us,
            voluntary_switches=sum(voluntary for voluntary, _ in self._switches.values()),
            involuntary_switches=sum(involuntary for _, involuntary in self._switches.values()),
        )


@contextmanager
def sampling(group: RunGroup, every_ms: int) -> Iterator[Sampler | None]:
    """Provide a sampler for one run, ended with the `with`; None for 0. Raises LimitsError for an invalid interval."""
    if type(every_ms) is not int or not 0 <= every_ms <= _LONGEST_MS:
        raise LimitsError(f"sample_ms must be a whole number between 0 and {_LONGEST_MS}")
    if every_ms == 0:
        yield None
        return
    sampler = Sampler(group, every_ms)
    try:
        yield sampler
    finally:
        sampler.close()


def points_of(samples: Sequence[TimelinePoint], started_us: int, usage: Usage) -> tuple[TimelinePoint, ...]:
    """Return at most MOST_POINTS points, evenly from start to end; none exceeds the totals in `usage`.

    `samples` have their moments by CLOCK_MONOTONIC, also such from before the program's start and after its end.
    """
    total = TimelinePoint(
        at_us=usage.wall_time_us,
        cpu_time_us=usage.cpu_time_us,
        voluntary_switches=usage.voluntary_switches,
        involuntary_switches=usage.involuntary_switches,
    )
    within = [
        TimelinePoint(  # at most the totals, which leave out the little that the launch used
            at_us=point.at_us - started_us,
            cpu_time_us=min(point.cpu_time_us, total.cpu_time_us),
            voluntary_switches=min(point.voluntary_switches, total.voluntary_switches),
            involuntary_switches=min(point.involuntary_switches, total.involuntary_switches),
        )
        for point in samples
        if 0 < point.at_us - started_us < total.at_us
    ]
    start = TimelinePoint(at_us=0, cpu_time_us=0, voluntary_switches=0, involuntary_switches=0)
    points = (start, *within, total)
    if len(points) <= MOST_POINTS:
        return points
    return tuple(points[round(place * (len(points) - 1) / (MOST_POINTS - 1))] for place in range(MOST_POINTS))
