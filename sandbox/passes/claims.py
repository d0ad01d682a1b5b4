"""A graded run's claim on the host: while one is held, no round of profile passes begins. A claim takes microseconds.

The kernel meter costs every process on the machine some 0.1 us per system call, so the two never happen at once.

How it works: `tally-meter.lock` is held shared under flock(2) by each graded run, and alone by the keeper
(`sandbox.passes.keeper`) during a round. The file's first byte says whether the keeper waits for the runs under way:
then a new one does not begin, but asks the keeper to be told when it may. The kernel frees the lock of a process that
dies.

A worker that was stopped (SIGSTOP) in a graded run keeps its lock. The keeper passes it over: it puts a new file in
the place of the old one. The claim on the old one is void, which its holder sees at the end: the file that it has
locked has no name any more. The run is made again then (`sandbox.jail.doubt`).

Whom the keeper sees: /proc/locks names holders within the reader's PID namespace alone. So each claimer's namespace is
noted in the file, and nobody is passed over while there may be holders that are not seen. Workers in several containers
share LOCK_FOLDER. There a stopped holder delays passes, and graded runs for as long as a drain lasts
(`sandbox.passes.rules`), until it goes on. The folder belongs to root: no other user can hold its files.
"""

import fcntl
import functools
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sandbox.errors import SandboxError
from sandbox.passes.keeping import Line, is_stopped

LOCK_FOLDER = Path("/run/tally")
GRADED_WAIT_MS = 1_200_000  # longer than any run
_NAME = "tally-meter.lock"
_NOT_FREE = "the meter lock was not free in time: another worker holds it"
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
_OPEN, _SHUT = b"0", b"1"
_MOST_BYTES = 4_096
_HOST_NAMESPACE = 0xEFFFFFFC  # PROC_PID_INIT_INO of <linux/proc_ns.h>: who is in it sees all processes
_ENDING_S = 0.002  # a keeper that ends or begins has the lock for a moment, but no socket to wait at


class Claim:
    """One claim of a graded run."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @property
    def is_void(self) -> bool:
        """Return whether it was passed over, so that the meter may have been on during the run."""
        return not _is_current(self._descriptor)


@contextmanager
def graded_run(folder: Path = LOCK_FOLDER, wait_ms: int = GRADED_WAIT_MS) -> Iterator[Claim]:
    """Hold off profile passes during a graded run; then see `Claim.is_void`. Raises SandboxError after `wait_ms`."""
    deadline = time.monotonic() + wait_ms / 1000
    descriptor = _claimed(folder)
    while descriptor is None:
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise SandboxError(_NOT_FREE)
        line = Line.to_keeper(folder)
        if line is None:  # nobody leads a round: what the file says is what a dead keeper left there
            descriptor = _claimed(folder, is_led=False)
            if descriptor is None:
                time.sleep(_ENDING_S)
            continue
        with line, suppress(TimeoutError):
            line.send(b"grade")
            line.receive(left_s)
        descriptor = _claimed(folder)
    try:
        yield Claim(descriptor)
    finally:
        os.close(descriptor)


def _claimed(folder: Path, *, is_led: bool = True) -> int | None:
    """Return the lock file, locked; None if the keeper has it or is about to."""
    descriptor = open_lock(folder)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        content = os.pread(descriptor, _MOST_BYTES, 0)
        if _is_current(descriptor) and not (is_led and content.startswith(_SHUT)):
            own = b" %d\n" % _own_namespace()
            if own not in content:
                os.pwrite(descriptor, (b"" if content else _OPEN) + own, len(content))
            if not is_led:
                write_flag(descriptor, is_shut=False)
            return descriptor
    except BlockingIOError:
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _is_current(descriptor: int) -> bool:
    """Return whether the file still has its name."""
    return os.fstat(descriptor).st_nlink > 0


@functools.cache
def _own_namespace() -> int:
    return Path("/proc/self/ns/pid").stat().st_ino


def open_lock(folder: Path) -> int:
    """Return the lock file of a host, opened. Raises SandboxError."""
    path = f"{folder}/{_NAME}"
    try:
        try:
            return os.open(path, _FLAGS, 0o600)
        except FileNotFoundError:  # the first one on this host since it started
            folder.mkdir(exist_ok=True, mode=0o755)
            return os.open(path, _FLAGS, 0o600)
    except OSError as error:
        raise SandboxError(f"cannot open the meter lock {path}: {error.strerror}") from error


def write_flag(descriptor: int, *, is_shut: bool) -> None:
    """Note whether new graded runs may begin."""
    os.pwrite(descriptor, _SHUT if is_shut else _OPEN, 0)


def replaced_lock(folder: Path, old: int) -> int:
    """Void all claims: return a new lock file in the place of the old one, shut and held alone."""
    new = folder / f"{_NAME}.new"
    descriptor = os.open(new, _FLAGS | os.O_TRUNC, 0o600)
    os.pwrite(descriptor, _SHUT + os.pread(old, _MOST_BYTES, 0)[1:], 0)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    new.rename(folder / _NAME)
    return descriptor


def are_all_stopped(descriptor: int) -> bool:
    """Return whether each holder of a claim on this file is a stopped process, and no holder can be out of sight."""
    own = _own_namespace()
    claimers = {int(line) for line in os.pread(descriptor, _MOST_BYTES, 0)[1:].split()}
    if own != _HOST_NAMESPACE and claimers - {own}:
        return False
    file = os.fstat(descriptor)
    name = f"{os.major(file.st_dev):02x}:{os.minor(file.st_dev):02x}:{file.st_ino}"
    locks = (line.split() for line in Path("/proc/locks").read_text().splitlines())
    holders = [int(lock[4]) for lock in locks if lock[1:4] == ["FLOCK", "ADVISORY", "READ"] and lock[5] == name]
    return bool(holders) and all(map(is_stopped, holders))
