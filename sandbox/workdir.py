"""Folders and files on the host side of a jail: inputs and collected outputs.

What comes out is never opened by a name that the program could have made: the init opens it inside the scratch folder
with openat2 (beneath, no links) and passes the descriptor; here it is only copied, and only up to its cap.
"""

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox.errors import LimitsError, WorkdirError
from sandbox.types import Mount

_CHUNK_BYTES = 1 << 20


@contextmanager
def fresh_folder(root: Path, prefix: str) -> Iterator[Path]:
    """Provide a private host folder below `root` that every user can search, removed at the end. Raises WorkdirError.

    It is locked (flock) until then, or until this process ends: `leftovers` removes a folder whose owner was killed.
    """
    try:
        root.mkdir(parents=True, exist_ok=True, mode=0o711)
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=root))
        folder.chmod(0o711)
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:  # without its lock it does not stay
            folder.rmdir()
            raise
    except OSError as error:
        raise WorkdirError(f"cannot make a folder in {root}: {error.strerror}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def check_reachable(mount: Mount) -> None:
    """Raise WorkdirError unless the jail's user, who is not root outside, can reach the mount's folder.

    And LimitsError for paths that nsjail would take for others: it parts source, target and options by colons.
    """
    for path in (str(mount.source), mount.target):
        if ":" in path or "\0" in path:
            raise LimitsError(f"{path!r} cannot be shown in a jail: a path must not hold a colon or a NUL byte")
    if not mount.target.startswith("/") or ".." in mount.target.split("/"):
        raise LimitsError(f"{mount.target!r} is no place in a jail: it must be an absolute path without ..")
    source = mount.source.resolve()
    if ":" in str(source):
        raise LimitsError(f"{source} cannot be shown in a jail: a path must not hold a colon")
    for folder in (source, *source.parents):
        try:
            mode = folder.stat().st_mode
        except OSError:
            mode = 0
        if not stat.S_ISDIR(mode):
            raise WorkdirError(f"{folder} is not a folder")
        if not mode & stat.S_IXOTH:
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
        if not isinstance(error, FileExistsError):  # that one is somebody else's
            target.unlink(missing_ok=True)
        raise WorkdirError(f"cannot write {target.name}: {error.strerror}") from error
    if copied > max_bytes:
        target.unlink()
        return False
    return True
