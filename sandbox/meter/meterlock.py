"""Separate the kernel meter from graded runs: a lock between all workers of a host.

The meter's tracepoint costs every process on the machine about 0.1 us per system call. So a graded run holds the host's
meter lock shared and a profile pass holds it alone.

How it works: two files under flock(2). Everybody passes the gate first; a graded run leaves it as soon as it holds the
lock itself, a profile pass keeps it. So a profile pass that waits for the runs under way lets no new one in and gets
its turn also on a busy host, which flock alone does not promise. In return it lets those go first that waited for the
last pass: until the time that it leaves on the gate's file there is no next one. That is PROFILE_NAP_S later; where a
graded run stood at the gate, who holds a third file for that, it is as long as the pass kept the gate. So passes, of
one submission or of many, hold graded runs up for no more than half of the time, and a wait. How long a pass that
sleeps may take, `sandbox.meter.idleness` says.
The files are in a folder that only root may write, so that no other user can hold them. Workers in several containers
on one host must share that folder.
"""

import fcntl
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from sandbox.errors import SandboxError
from sandbox.types import Ending, Limits, Outcome, Profile

LOCK_FOLDER = Path("/run/tally")
GRADED_WAIT_MS = 1_200_000  # several profile passes may go first
PROFILE_WAIT_MS = 240_000  # no graded run may be able to start meanwhile: a profile is not worth more
PROFILE_WALL_MS = 50_000  # of a pass, twice that on a full machine: the third can wait for two, and a slower interactor
LONGEST_PAUSE_S = 10.0  # after a pass
FIRST_NAP_S = 0.000_5
GRADED_NAP_S = 0.01  # the longest
PROFILE_NAP_S = 0.03  # the longest, and the shortest pause after a pass: longer than a graded run's nap
_CUT_TO_MS = 100
_WAITING = "tally-meter.waiting"
_NOT_FREE = "the meter lock was not free in time: another worker holds it"
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


@contextmanager
def graded_run_lock(folder: Path = LOCK_FOLDER, wait_ms: int = GRADED_WAIT_MS) -> Iterator[None]:
    """Hold off profile passes during a graded run. Raises SandboxError after `wait_ms`."""
    deadline = time.monotonic() + wait_ms / 1000
    with _open(folder, "tally-meter.lock") as lock:
        with _open(folder, "tally-meter.gate") as gate:
            if not _try(gate, fcntl.LOCK_SH):
                with _open(folder, _WAITING) as waiting:
                    _acquire(waiting, fcntl.LOCK_SH, deadline, GRADED_NAP_S)
                    _acquire(gate, fcntl.LOCK_SH, deadline, GRADED_NAP_S)
            _acquire(lock, fcntl.LOCK_SH, deadline, GRADED_NAP_S)
        yield


@contextmanager
def profile_pass_lock(folder: Path = LOCK_FOLDER, wait_ms: int = PROFILE_WAIT_MS) -> Iterator[None]:
    """Hold off graded runs and other profile passes. Raises SandboxError after `wait_ms`."""
    deadline = time.monotonic() + wait_ms / 1000
    with _open(folder, "tally-meter.gate") as gate, _open(folder, "tally-meter.lock") as lock:
        _pass_gate(gate, deadline)
        shut_at = time.monotonic()
        try:
            _acquire(lock, fcntl.LOCK_EX, deadline, PROFILE_NAP_S)
            yield
        finally:
            pause_s = time.monotonic() - shut_at if _somebody_waits(folder) else 0.0
            until = time.time() + min(max(pause_s, PROFILE_NAP_S), LONGEST_PAUSE_S)
            os.utime(gate, (until, until))


def brief(limits: Limits) -> Limits:
    """Shorten the limits for a profile pass, which must end while others still wait for the lock."""
    return replace(limits, wall_time_ms=min(limits.wall_time_ms, PROFILE_WALL_MS))


def noting_cut(profile: Profile, limits: Limits, outcome: Outcome, *, has_idled: bool) -> Profile:
    """Return the profile, noting the time, to a tenth of a second, if the pass was stopped before the run's own wall
    limit.

    `has_idled`: it was told to end since it waited (`sandbox.meter.idleness`). It may have ended by itself at that
    moment.
    """
    if has_idled and outcome.signal == signal.SIGKILL:
        wall_ms = outcome.usage.wall_time_us // 1_000
        return replace(profile, stopped_after_ms=max(_CUT_TO_MS, wall_ms // _CUT_TO_MS * _CUT_TO_MS))
    if outcome.ending is Ending.WALL_LIMIT and limits.wall_time_ms > PROFILE_WALL_MS:
        return replace(profile, stopped_after_ms=PROFILE_WALL_MS)
    return profile


def _pass_gate(gate: int, deadline: float) -> None:
    while True:
        _acquire(gate, fcntl.LOCK_EX, deadline, PROFILE_NAP_S)
        pause_s = os.fstat(gate).st_mtime - time.time()
        if not 0 < pause_s <= LONGEST_PAUSE_S:
            return
        fcntl.flock(gate, fcntl.LOCK_UN)
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise SandboxError(_NOT_FREE)
        time.sleep(min(pause_s, left_s))


def _somebody_waits(folder: Path) -> bool:
    """Return whether a graded run waits for the lock."""
    with _open(folder, _WAITING) as waiting:
        return not _try(waiting, fcntl.LOCK_EX)


@contextmanager
def _open(folder: Path, name: str) -> Iterator[int]:
    path = f"{folder}/{name}"
    try:
        try:
            descriptor = os.open(path, _FLAGS, 0o600)
        except FileNotFoundError:  # the first one on this host since it started
            folder.mkdir(exist_ok=True, mode=0o755)
            descriptor = os.open(path, _FLAGS, 0o600)
    except OSError as error:
        raise SandboxError(f"cannot open the meter lock {path}: {error.strerror}") from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, kind: int, deadline: float, longest_nap_s: float) -> None:
    nap = FIRST_NAP_S
    while not _try(descriptor, kind):
        if time.monotonic() >= deadline:
            raise SandboxError(_NOT_FREE)
        time.sleep(nap)
        nap = min(2 * nap, longest_nap_s)


def _try(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
