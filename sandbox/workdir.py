"""Folders and files on the host side of a jail: what goes in and what comes out.

What comes out is never opened by a name that the program could have made: the init opens it inside the scratch folder
with openat2 (beneath, no links) and passes the descriptor; here it is only copied, and only up to its cap.
"""

import ctypes
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox.errors import WorkdirError
from sandbox.types import MIB, Command, Mount

_CHUNK_BYTES = 1 << 20
_LIBC = ctypes.CDLL(None, use_errno=True)
_SYS_OPEN_TREE = 428  # <asm-generic/unistd.h>, the same on every architecture
_OPEN_TREE_CLONE = 1  # <linux/mount.h>
_AT_FDCWD = -100  # <linux/fcntl.h>


@contextmanager
def fresh_folder(root: Path, prefix: str) -> Iterator[Path]:
    """A private host folder below `root` that everybody can search, removed at the end. Raises WorkdirError.

    It is locked (flock) until then, or until this process ends: `leftovers` removes a folder whose owner was killed.
    """
    try:
        root.mkdir(parents=True, exist_ok=True, mode=0o711)
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=root))
        folder.chmod(0o711)
    except OSError as error:
        raise WorkdirError(f"cannot make a folder in {root}: {error.strerror}") from error
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def check_reachable(mount: Mount) -> None:
    """Raise WorkdirError unless the jail's user can get to the mount's folder: it is not root outside."""
    source = mount.source.resolve()
    for folder in (source, *source.parents):
        if not folder.is_dir():
            raise WorkdirError(f"{folder} is not a folder")
        if not folder.stat().st_mode & stat.S_IXOTH:
            raise WorkdirError(f"{folder} cannot be searched by everybody: chmod o+x {folder}, or use another folder")


def carry_out(descriptor: int, target: Path, max_bytes: int) -> bool:
    """Copy a collected file to `target`; False, and no file, when it is over `max_bytes`. Raises WorkdirError."""
    if os.fstat(descriptor).st_size > max_bytes:
        return False
    copied = 0
    try:
        with target.open("xb") as out:
            while chunk := os.read(descriptor, _CHUNK_BYTES):
                copied += len(chunk)
                if copied > max_bytes:
                    break
                out.write(chunk)
    except OSError as error:
        target.unlink(missing_ok=True)
        raise WorkdirError(f"cannot write {target.name}: {error.strerror}") from error
    if copied > max_bytes:
        target.unlink()
        return False
    return True


@contextmanager
def streams(command: Command, folder: Path, needed_bytes: int) -> Iterator[list[int]]:
    """Descriptors of stdin, stdout and stderr for a run, closed at the end. Raises WorkdirError, also on a full disk.

    Output goes to a file that the program cannot name: new on the host, or without a name at all when nobody wants it.
    """
    opened: list[int] = []
    try:
        _open_streams(opened, command, folder, needed_bytes)
        yield opened
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _open_streams(opened: list[int], command: Command, folder: Path, needed_bytes: int) -> None:
    try:
        free = os.statvfs(folder)
        if free.f_bavail * free.f_frsize < needed_bytes:
            raise WorkdirError(
                f"the disk of {folder.parent} is full: a run needs {needed_bytes // MIB} MiB for its output"
            )
        opened.append(_open_without_path(command.stdin or Path(os.devnull)))
        for target in (command.stdout, command.stderr):
            if target is None:
                opened.append(os.open(folder, os.O_RDWR | os.O_TMPFILE | os.O_CLOEXEC, 0o600))
            else:
                opened.append(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            os.fchmod(opened[-1], 0o666)  # for programs that open /dev/stdout; nobody else gets to the folder
    except OSError as error:
        raise WorkdirError(f"cannot open a stream of the run: {error}") from error


def _open_without_path(path: Path) -> int:
    """Open for reading so that /proc/self/fd tells no path, for that holds the name of a hidden test.

    It is opened through a mount of its own that hangs nowhere: open_tree(2), Linux 5.2.
    """
    tree = _LIBC.syscall(_SYS_OPEN_TREE, _AT_FDCWD, os.fsencode(path), _OPEN_TREE_CLONE | os.O_CLOEXEC)
    if tree < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error), str(path))
    try:
        return os.open(f"/proc/self/fd/{tree}", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(tree)
