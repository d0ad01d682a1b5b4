"""What dead workers left behind. A worker holds a lock in each jail's folder; the kernel lets go of it when it dies."""

import fcntl
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox.cgroup import ControlGroups

_LOCK = "alive.lock"
_NEW_S = 15.0  # a folder without a lock is younger than this while it is being made


@contextmanager
def held_lock(folder: Path) -> Iterator[None]:
    """Mark a jail's folder as alive for as long as the `with`, or this process, lasts."""
    with (folder / _LOCK).open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _is_abandoned(folder: Path) -> bool:
    """Whether the worker that made a jail's folder is gone: the kernel let go of its lock."""
    try:
        with (folder / _LOCK).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    except BlockingIOError:
        return False
    except FileNotFoundError:
        return not folder.exists() or time.time() - folder.stat().st_mtime > _NEW_S


def remove_leftovers(work_root: Path) -> list[str]:
    """Kill and remove what jails of dead workers left below `work_root`: processes, groups, folders. Names them."""
    groups = ControlGroups(work_root)
    names = groups.names() | {path.name for path in work_root.glob("jail-*")}
    abandoned = sorted(name for name in names if _is_abandoned(work_root / name))
    for name in abandoned:
        groups.remove(name)
        shutil.rmtree(work_root / name, ignore_errors=True)
    return abandoned
