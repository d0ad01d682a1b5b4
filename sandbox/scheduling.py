"""Schedule the host's thread that waits for a run.

How it works:
- Short slice: each hand-over of a run, host to init and back, waits for the end of somebody else's slice, up to 4 ms,
  while others keep the core busy. A thread with a shorter slice than theirs does not wait (Linux 6.12, EEVDF). Its
  share of the core stays the same, and what it starts has the usual slice. Earlier kernels ignore the slice.
- Other cores: when the init wakes this thread up, the scheduler moves it to the init's core. There it delays the next
  run, which cannot begin before the thread has prepared the one after it; that takes about as long as a small program.
  While the other cores are busy it stays: there it would wait for programs, and they for it. After a run of 0.2 s or
  more it does not know whether they are busy, and leaves: a run of that length loses little.

Source: sched_setattr(2), sched_setaffinity(2), proc_stat(5), Documentation/scheduler/sched-eevdf.rst.
native/init/runner.c takes the slice for the init.
"""

import ctypes
import math
import os
import platform
import struct
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile

_ATTRIBUTES = struct.Struct("=IIQiIQQQ")  # struct sched_attr: size, policy, flags, nice, priority, runtime, ...
_CALL = {"x86_64": 314, "aarch64": 274}  # sched_setattr
_RESET_ON_FORK = 1
_SLICE_NS = 100_000  # the shortest that the kernel has
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_LOOK_S = 0.05  # from one look at the cores to the next, at least: the kernel counts in ticks, a hundred per second
_LONGEST_STAT = 1 << 18  # bytes; a line for each core has about 60
_TOO_LONG_S = 0.2  # between two looks: a run of this length loses little if the thread is on the wrong core


def take_short_slices() -> None:
    """Give the calling thread a short slice; its children have the usual slice.

    A thread with another policy than the usual one, or a negative nice value, keeps its slice: the flag that resets the
    slice of what it starts would reset these too. No error: without it everything works, only later on a full machine.
    """
    number, nice = _CALL.get(platform.machine()), os.getpriority(os.PRIO_PROCESS, 0)
    if number is None or os.sched_getscheduler(0) != os.SCHED_OTHER or nice < 0:
        return
    attributes = _ATTRIBUTES.pack(_ATTRIBUTES.size, os.SCHED_OTHER, _RESET_ON_FORK, nice, 0, _SLICE_NS, 0, 0)
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    arguments = (number, 0, ctypes.addressof(buffer), 0)
    ctypes.CDLL(None).syscall(*map(ctypes.c_long, arguments))


@contextmanager
def leaving_cores(cores: Collection[int]) -> Iterator[None]:
    """Keep the calling thread off these cores, if it may use others and those were idle for at least half of the time.

    The threads that sample a run start meanwhile and stay off them too.
    """
    before = os.sched_getaffinity(0)
    others = before.difference(cores)
    if others in (set(), before) or _usage.idle_share(others) < 1 / 2:
        yield
        return
    try:
        with suppress(OSError):  # EINVAL: the others were just taken from this process
            os.sched_setaffinity(0, others)
        yield
    finally:
        with suppress(OSError):  # EINVAL: all of these were taken from it, and the kernel has chosen others
            os.sched_setaffinity(0, before)


class CoreUsage:
    """The idleness of this host's cores, from one look at them to the next."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._looked_s = -math.inf
        self._idle_s: dict[int, float] = {}
        self._shares: dict[int, float] = {}

    def idle_share(self, cores: Collection[int]) -> float:
        """Return the share of time, from 0 to 1, for which these cores were idle between the last two looks: 1 if the
        looks lie so far apart that they say nothing of now, 0 if one of the looks failed.
        """
        now = self._clock()
        if now - self._looked_s >= _LOOK_S:
            before, took_s = self._idle_s, now - self._looked_s
            self._looked_s, self._idle_s = now, idle_times_s(_read_stat())
            self._shares = {
                # bounded: in 50 ms, ticks of 10 ms may add up to more
                core: min(1, max(0, idle_s - before.get(core, idle_s)) / took_s) if took_s < _TOO_LONG_S else 1
                for core, idle_s in self._idle_s.items()
            }
        return sum(self._shares.get(core, 0) for core in cores) / len(cores)


def _read_stat() -> str:
    """Return the beginning of /proc/stat, with a line for each core; "" if it cannot be read."""
    try:
        descriptor = os.open("/proc/stat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:  # no descriptor is left
        return ""
    try:
        return os.read(descriptor, _LONGEST_STAT).decode("ascii", "replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def idle_times_s(stat: str) -> dict[int, float]:
    """Return for how many seconds each core was idle since the host started, by the text of /proc/stat."""
    lines = (line.split() for line in takewhile(lambda line: line.startswith("cpu"), stat.splitlines()))
    return {
        int(name[3:]): (int(idle) + int(waiting)) / _TICKS_PER_S
        for name, _, _, _, idle, waiting, *_ in lines
        if name != "cpu"
    }


_usage = CoreUsage()
