"""Small disks: a tmpfs mounted over a folder, filled and made free again. `make test-faults` has a mount namespace."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_BALLAST = "ballast"


@contextmanager
def small_disk(folder: Path, room_bytes: int) -> Iterator["SmallDisk"]:
    """The folder on a disk of its own with so much room beside its files; what lies in it afterwards is moved back.
    Nobody may use it when this begins and ends."""
    with _copy_of(folder) as kept:
        size_bytes = room_bytes + sum(path.lstat().st_size for path in kept.rglob("*"))
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size_bytes}", "none", str(folder)], check=True)
        _fill_from(kept, folder)
    try:
        yield SmallDisk(folder)
    finally:
        (folder / _BALLAST).unlink(missing_ok=True)
        with _copy_of(folder) as kept:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
            for entry in folder.iterdir():
                shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
            _fill_from(kept, folder)


@contextmanager
def _copy_of(folder: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tally-aside-", dir="/var/tmp") as aside:
        _fill_from(folder, Path(aside))
        yield Path(aside)


def _fill_from(source: Path, target: Path) -> None:
    subprocess.run(["cp", "-a", f"{source}/.", str(target)], check=True)  # the folder's own owner and mode too


class SmallDisk:
    """A folder with a disk of its own."""

    def __init__(self, folder: Path) -> None:
        self._ballast = folder / _BALLAST

    def fill(self) -> None:
        """Leave no room at all."""
        with self._ballast.open("ab") as file:
            free = shutil.disk_usage(self._ballast.parent).free
            os.posix_fallocate(file.fileno(), file.tell(), max(1, free))

    def empty(self) -> None:
        """Make the room again."""
        self._ballast.unlink(missing_ok=True)
