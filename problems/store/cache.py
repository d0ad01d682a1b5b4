"""Make room for package versions that can be fetched again: remove the least recently used, never one in use.

How it works: whoever uses a version holds a shared `flock` on its folder, in whatever process or container; who removes
one needs the exclusive lock. A folder's own time tells when it was last wanted. Pages read a file or two without a
lock: what was wanted JUST_USED_S ago stays for them.
"""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from problems.format.files import MIB
from problems.store.fsync import try_lock
from problems.store.store import PREFIX, is_digest

JUST_USED_S = 120
LEAST_FREE_BYTES = 512 * MIB  # of the disk, while something can be removed


@contextmanager
def in_use(folder: Path) -> Iterator[bool]:
    """Keep the folder in place until the end of the `with`, and note its use; yields False if it is missing."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield False
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)  # the exclusive lock is held for a rename only
        is_there = _is_at(descriptor, folder)
        if is_there:
            with suppress(PermissionError):  # another user's folder, which this one may only read
                os.utime(descriptor)
        yield is_there
    finally:
        os.close(descriptor)


def make_room(root: Path, needed_bytes: int, most_bytes: int, may_go: Callable[[str], bool]) -> int:
    """Remove versions below `root` until this many more bytes fit; return the free bytes of the disk then.

    A version goes only if `may_go` says so of its digest.
    """
    versions = sorted(_versions(root))
    used = sum(size for _, size, _ in versions)
    for wanted_at, size, folder in versions:
        is_room = shutil.disk_usage(root).free >= needed_bytes + LEAST_FREE_BYTES
        if (is_room and used + needed_bytes <= most_bytes) or time.time() - wanted_at < JUST_USED_S:
            break
        if may_go(folder.name) and _remove(folder, wanted_at):
            used -= size
    return shutil.disk_usage(root).free


def _versions(root: Path) -> Iterator[tuple[float, int, Path]]:
    """Return each version's last use, bytes and folder."""
    for folder in root.iterdir():
        if is_digest(folder.name):
            with suppress(FileNotFoundError):  # somebody else removed it just now
                wanted_at = folder.stat().st_mtime
                yield wanted_at, sum(path.lstat().st_size for path in folder.rglob("*")), folder


def _remove(folder: Path, wanted_at: float) -> bool:
    """Remove a version unless somebody uses it or used it meanwhile; return whether it was removed."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    waste = tempfile.mkdtemp(prefix=PREFIX, dir=folder.parent)
    try:
        is_free = try_lock(descriptor)
        if not is_free or not _is_at(descriptor, folder) or os.fstat(descriptor).st_mtime != wanted_at:
            return False
        folder.rename(Path(waste) / folder.name)  # so that no half version is ever seen
    finally:
        os.close(descriptor)
        shutil.rmtree(waste, ignore_errors=True)
    return True


def _is_at(descriptor: int, folder: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), folder.stat())
    except FileNotFoundError:
        return False
