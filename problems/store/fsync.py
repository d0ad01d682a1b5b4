"""Make writes survive a power cut, and lock open files.

A write syncs the content first, then renames it to its public name. Otherwise a file system may keep the rename and
lose the content (ext4's delayed allocation): after a power cut everything has its name and is empty. Locks are
flock(2): the kernel releases them when their holder dies.
"""

import ctypes
import fcntl
import os
from pathlib import Path

_libc = ctypes.CDLL(None, use_errno=True)


def give_name(written: Path, name: Path) -> None:
    """Rename a file or a folder with its content, once it is on the disk; then sync the new name too.

    Of a folder the whole file system is written (syncfs(2)): once, however many thousand files there are. Raises
    OSError, also when the disk did not take it.
    """
    _sync(written, is_whole_file_system=written.is_dir())
    written.rename(name)
    _sync(name.parent)


def _sync(path: Path, *, is_whole_file_system: bool = False) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if not is_whole_file_system:
            os.fsync(descriptor)
        elif _libc.syncfs(descriptor):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(path))
    finally:
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Take the file's exclusive lock if it is free; return whether it was taken."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
