"""Give each process of a worker its own core and folder.

How it works: `slot-<n>/` below the work folder, with a lock file that its process holds under flock(2) until it ends.
So the kernel frees the slot of a killed process, and whoever takes it next throws away what the dead one left in it.
All workers of a host that share the work folder share the slots, and through a link in each slot the compiler's cache.
Slots below the number of cores come with a core, the highest first, since the first core has the most to do besides;
further ones come without.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from judge.grading.compiling.compile_cache import CACHE
from problems.store.fsync import try_lock

_LOCK = "lock"
_MOST = 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class Slot:
    """A held slot. `cpu` is the core for runs (None: any); at the start `folder` holds a lock and the link."""

    number: int
    cpu: int | None
    folder: Path
    lock: int

    def release(self) -> None:
        """Release the slot; the end of the process does the same."""
        os.close(self.lock)


def take_slot(work_root: Path) -> Slot:
    """Take the first free slot and empty its folder. Raises OSError."""
    cores = sorted(os.sched_getaffinity(0), reverse=True)
    for number in range(_MOST):
        folder = work_root / f"slot-{number}"
        folder.mkdir(parents=True, exist_ok=True, mode=0o755)
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if not try_lock(lock):
            os.close(lock)
            continue
        _empty(folder)
        (work_root / CACHE).mkdir(exist_ok=True, mode=0o711)
        (folder / CACHE).symlink_to(Path("..", CACHE))
        return Slot(number=number, cpu=cores[number] if number < len(cores) else None, folder=folder, lock=lock)
    raise OSError(f"all {_MOST} slots of {work_root} are taken")


def _empty(folder: Path) -> None:
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        elif entry.name != _LOCK:
            entry.unlink()
