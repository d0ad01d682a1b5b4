"""Remove what dead workers left. A worker holds a lock in each jail's folder; the kernel releases it at its death."""

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sandbox.cgroups.cgroup import ControlGroups
from sandbox.errors import WorkdirError
from sandbox.image.resident import RESIDENT
from sandbox.workdir import fresh_folder

_LOCK = "alive.lock"
_NEW_S = 15.0  # a folder without a lock is younger than this while it is being made or removed


@contextmanager
def jail_folder(work_root: Path) -> Iterator[Path]:
    """Provide a jail's own folder, marked as alive until it is removed or this process ends. Raises WorkdirError."""
    with ExitStack() as until_removed, fresh_folder(work_root, "jail-") as folder:
        new = folder / f"{_LOCK}.new"
        try:
            lock = until_removed.enter_context(new.open("wb"))
            fcntl.flock(lock, fcntl.LOCK_EX)
            new.rename(folder / _LOCK)  # under this name it was never seen unlocked
        except OSError as error:
            raise WorkdirError(f"cannot make a folder in {work_root}: {error.strerror}") from error
        yield folder


def _is_abandoned(folder: Path, groups: ControlGroups) -> bool:
    """Return whether the worker that created a jail's folder is dead: the kernel released its lock."""
    try:
        with (folder / _LOCK).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return os.fstat(lock.fileno()).st_nlink > 0  # else it was removed together with its jail just now
    except BlockingIOError:
        return False
    except FileNotFoundError:
        try:
            return time.time() - folder.stat().st_mtime > _NEW_S
        except FileNotFoundError:
            return folder.name in groups.names()  # a jail's groups are removed before its folder


def _is_folder(path: Path) -> bool:
    """Return whether it is a real folder, not a file or a link put there."""
    return path.is_dir() and not path.is_symlink()


def _abandoned_folders(work_root: Path) -> Iterator[Path]:
    """Return folders of `fresh_folder`, other than jails', whose owner was killed: grade-x, check-x and so on."""
    for folder in work_root.glob("*-????????"):
        if folder.name.startswith("jail-") or not _is_folder(folder):
            continue
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:  # its owner removed it just now
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if time.time() - os.fstat(lock).st_mtime > _NEW_S:
                yield folder
        except BlockingIOError:
            continue
        finally:
            os.close(lock)


def remove_leftovers(work_root: Path) -> list[str]:
    """Remove what dead workers and commands left below `work_root`: processes, groups, folders. Returns their names."""
    groups = ControlGroups(work_root)
    names = groups.names() | {path.name for path in work_root.glob("jail-*") if _is_folder(path)}
    abandoned = sorted(name for name in names if _is_abandoned(work_root / name, groups))
    for name in abandoned:
        groups.remove(name)
        shutil.rmtree(work_root / name, ignore_errors=True)
    for root in (work_root, RESIDENT):
        for folder in _abandoned_folders(root):
            abandoned.append(folder.name)
            shutil.rmtree(folder, ignore_errors=True)
    groups.remove_idle()
    return abandoned
