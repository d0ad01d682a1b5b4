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
def small_disk(folder: Path, size_bytes: int) -> Iterator["SmallDisk"]:
    """The folder on a disk of its own that is so large; what lies in it afterwards is moved back. Nobody may use it
    when this begins and ends."""
    aside = Path(tempfile.mkdtemp(prefix="aside-", dir=folder.parent))
    owner = folder.stat()
    subprocess.run(["cp", "-a", f"{folder}/.", str(aside)], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size_bytes}", "none", str(folder)], check=True)
    try:
        os.chown(folder, owner.st_uid, owner.st_gid)
        folder.chmod(owner.st_mode & 0o7777)
        subprocess.run(["cp", "-a", f"{aside}/.", str(folder)], check=True)
        yield SmallDisk(folder)
    finally:
        (folder / _BALLAST).unlink(missing_ok=True)
        shutil.rmtree(aside)
        subprocess.run(["cp", "-a", f"{folder}/.", str(aside)], check=True)
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
        for entry in folder.iterdir():
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
        subprocess.run(["cp", "-a", f"{aside}/.", str(folder)], check=True)
        shutil.rmtree(aside)


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
