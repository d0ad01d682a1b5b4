"""Keep the kernel meter away from graded runs: a lock between all workers of a host.

The meter's tracepoint costs every process on the machine about 0.1 us per system call. So a graded run holds the host's
meter lock shared and a profile pass holds it alone.

How it works: two files under flock(2). Everybody passes the gate first; a graded run leaves it as soon as it holds the
lock itself, a profile pass keeps it. So a profile pass that waits for the runs under way lets no new one in and gets
its turn also on a busy host, which flock alone does not promise. The files are in a folder that only root may write, so
that no other user can hold them. Workers in several containers on one host must share that folder.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox.errors import SandboxError

LOCK_FOLDER = Path("/run")
GRADED_WAIT_MS = 1_200_000  # several profile passes may go first, each of them as long as its wall limit
PROFILE_WAIT_MS = 120_000  # no graded run can start meanwhile: a profile is not worth more
FIRST_NAP_S = 0.000_5
LONGEST_NAP_S = 0.02


@contextmanager
def graded_run_lock(folder: Path = LOCK_FOLDER, wait_ms: int = GRADED_WAIT_MS) -> Iterator[None]:
    """Hold off profile passes during a graded run. Raises SandboxError after `wait_ms`."""
    deadline = time.monotonic() + wait_ms / 1000
    with _open(folder, "tally-meter.lock") as lock:
        with _open(folder, "tally-meter.gate") as gate:
            _acquire(gate, fcntl.LOCK_SH, deadline)
            _acquire(lock, fcntl.LOCK_SH, deadline)
        yield


@contextmanager
def profile_pass_lock(folder: Path = LOCK_FOLDER, wait_ms: int = PROFILE_WAIT_MS) -> Iterator[None]:
    """Hold off graded runs and other profile passes. Raises SandboxError after `wait_ms`."""
    deadline = time.monotonic() + wait_ms / 1000
    with _open(folder, "tally-meter.gate") as gate, _open(folder, "tally-meter.lock") as lock:
        _acquire(gate, fcntl.LOCK_EX, deadline)
        _acquire(lock, fcntl.LOCK_EX, deadline)
        yield


@contextmanager
def _open(folder: Path, name: str) -> Iterator[int]:
    try:
        descriptor = os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise SandboxError(f"cannot open the meter lock {folder / name}: {error.strerror}") from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, kind: int, deadline: float) -> None:
    nap = FIRST_NAP_S
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise SandboxError("the meter lock was not free in time: another worker holds it") from None
            time.sleep(nap)
            nap = min(2 * nap, LONGEST_NAP_S)
        else:
            return
