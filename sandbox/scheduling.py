"""Schedule the host's thread that waits for a run.

How it works:
- Short slice: each hand-over of a run, host to init and back, waits for the end of somebody else's slice, up to 4 ms,
  while others keep the core busy. A thread with a shorter slice than theirs does not wait (Linux 6.12, EEVDF). Its
  share of the core stays the same, and what it starts has the usual slice. Earlier kernels ignore the slice.
- Other cores: when the init wakes this thread up, the scheduler moves it to the init's core. There it delays the next
  run, which cannot begin before the thread has prepared the one after it; that takes about as long as a small program.
  It stays where it is on a busy host: there it would wait for programs, and they for it. A host is busy if more than
  half of its cores were so at each of the last five looks: after a run, the jail's own work keeps a core for a moment.

Source: sched_setattr(2), sched_setaffinity(2), proc_loadavg(5), Documentation/scheduler/sched-eevdf.rst.
native/init/runner.c takes the slice for the init.
"""

import ctypes
import os
import platform
import struct
from collections import deque
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress

_ATTRIBUTES = struct.Struct("=IIQiIQQQ")  # struct sched_attr: size, policy, flags, nice, priority, runtime, ...
_CALL = {"x86_64": 314, "aarch64": 274}  # sched_setattr
_RESET_ON_FORK = 1
_SLICE_NS = 100_000  # the shortest that the kernel has
_LONGEST_FILE = 256
_looks = deque[int](maxlen=5)  # threads that ran at each of them, the newest last


def take_short_slices() -> None:
    """Give the calling thread a short slice; whatever it starts has the usual slice.

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
    """Keep the calling thread off these cores, if it may use others and the host is not busy. The threads that sample a
    run start meanwhile and stay off them too.
    """
    before = os.sched_getaffinity(0)
    others = before.difference(cores)
    if others in (set(), before) or is_busy(len(before)):
        yield
        return
    try:
        with suppress(OSError):  # EINVAL: the others were just taken from this process
            os.sched_setaffinity(0, others)
        yield
    finally:
        with suppress(OSError):  # EINVAL: all of these were taken from it, and the kernel has chosen others
            os.sched_setaffinity(0, before)


def is_busy(cores: int) -> bool:
    """Look, and return whether more than half of so many cores were busy at each of the last five looks, or no
    descriptor is left to look.
    """
    try:
        _looks.append(running_threads())
    except OSError:
        return True
    return min(_looks) > cores // 2


def running_threads() -> int:
    """Return how many threads of the host run or wait for a core now, the calling one included. Raises OSError."""
    descriptor = os.open("/proc/loadavg", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return int(os.read(descriptor, _LONGEST_FILE).split()[3].partition(b"/")[0])
    finally:
        os.close(descriptor)
