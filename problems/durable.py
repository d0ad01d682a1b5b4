"""Make writes survive a power cut: sync the content first, then rename it to its public name.

Without this a file system may keep a rename and lose what the renamed files hold (ext4's delayed allocation): after a
power cut everything has its name and is empty.
"""

import ctypes
import os
from pathlib import Path

_libc = ctypes.CDLL(None, use_errno=True)


def give_name(written: Path, name: Path) -> None:
    """Rename a file or a folder with its content, once it is on the disk; then sync the new name too.

    Of a folder the whole file system is written (syncfs(2)): once, however many thousand files there are. Raises
    OSError, also when the disk did not take it.
    """
    (_sync_all if written.is_dir() else _sync)(written)
    written.rename(name)
    _sync(name.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_all(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if _libc.syncfs(descriptor):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(folder))
    finally:
        os.close(descriptor)
