"""A test process that shares nothing of the host with another one, so that several run side by side.

How it works: `leave_shared_folders` gives this process and its children a mount namespace of their own, with an empty
meter lock folder and an empty image of the runtimes in it. All other folders have names of their own anyway. Linux has
this for a thread and what it starts from then on, so it is called before any other thread is there.
"""

import ctypes
import os
from pathlib import Path

from sandbox.image.resident import RESIDENT
from sandbox.passes.claims import LOCK_FOLDER

_CLONE_NEWNS = 0x00020000  # unshare(2)
_MS_NOSUID, _MS_NODEV, _MS_REC, _MS_PRIVATE = 0x2, 0x4, 0x4000, 0x40000  # mount(2)
_LIBC = ctypes.CDLL(None, use_errno=True)


def leave_shared_folders() -> None:
    """Have meter lock and runtimes of our own. Raises OSError; does nothing for who is not root and opens no jail."""
    if os.geteuid() != 0:
        return
    _check(_LIBC.unshare(_CLONE_NEWNS))
    _check(_LIBC.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None))
    for folder, mode in ((LOCK_FOLDER, "0700"), (RESIDENT, "0711")):
        folder.mkdir(mode=0o711, parents=True, exist_ok=True)
        _mount_tmpfs(folder, f"size=1g,mode={mode}")


def _mount_tmpfs(folder: Path, options: str) -> None:
    _check(_LIBC.mount(b"tmpfs", bytes(folder), b"tmpfs", _MS_NOSUID | _MS_NODEV, options.encode()))


def _check(answer: int) -> None:
    if answer != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
