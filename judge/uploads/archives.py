"""Store the bytes of uploaded archives until a worker reads them, each under a generated name (its token).

How it works: they lie in the folder `incoming` of the package store, which web and workers share. Where a storage lies
behind the store, which workers on other hosts reach, they lie there instead, also in `incoming`.
"""

import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

from problems.format.files import MIB, Caps
from problems.store import fsync, stores
from problems.store.store import StoreUnavailable
from problems.store.stores import INCOMING

_FORGOTTEN_S = 24 * 3600  # what no row names is swept after this time
_LIST_EVERY_S = 3600  # the storage's list costs a request, and a sweep comes every few seconds
_MOST_BYTES = Caps().total_bytes + 16 * MIB  # of any archive that is taken, also one that was put together here
_CHUNK = 1024 * 1024
_logger = logging.getLogger(__name__)
_listed_at = 0.0  # by time.monotonic(), in this process


def incoming() -> Path:
    """Return the folder on this machine; it also holds files still being uploaded."""
    folder: Path = settings.STORE_DIR / INCOMING
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def keep(archive: BinaryIO, token: str) -> int:
    """Keep the archive's bytes and return how many there are. Raises StoreUnavailable."""
    target = incoming() / token
    try:
        _give_name(archive, target)
        size = target.stat().st_size
        if remote := stores.remote():
            remote.put(f"{INCOMING}/{token}", target)
            target.unlink()
    except BaseException:
        throw_away(token)
        raise
    return size


@contextmanager
def opened(token: str, folder: Path) -> Iterator[BinaryIO]:
    """Open the archive for reading, fetched into `folder` if it is not on this machine.

    Raises FileNotFoundError, PackageMissing or StoreUnavailable.
    """
    path, remote = incoming() / token, stores.remote()
    if remote is None or path.exists():
        with path.open("rb") as file:
            yield file
        return
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fetched-", dir=folder) as fetched:
        copy = Path(fetched) / "archive"
        remote.fetch(f"{INCOMING}/{token}", copy, _MOST_BYTES)
        with copy.open("rb") as file:
            yield file


def put_back(archive: Path, token: str) -> None:
    """Keep a copy of a backup's archive under its token, unless it is there. Raises StoreUnavailable, OSError."""
    remote = stores.remote()
    if remote is not None:
        if not remote.has(f"{INCOMING}/{token}"):
            remote.put(f"{INCOMING}/{token}", archive)
        return
    target = incoming() / token
    if not target.exists():
        half = target.with_suffix(".half")
        shutil.copyfile(archive, half)
        half.chmod(0o600)
        fsync.give_name(half, target)


def throw_away(token: str) -> None:
    """Remove an archive's bytes; if the storage is away, `sweep` removes the rest later."""
    if not token:
        return
    (incoming() / token).unlink(missing_ok=True)
    if remote := stores.remote():
        try:
            remote.remove(f"{INCOMING}/{token}")
        except StoreUnavailable as error:
            _logger.warning("an archive is removed later: %s", error)


def sweep(is_wanted: Callable[[str], bool]) -> None:
    """Remove old archives whose token is no longer used."""
    global _listed_at
    for path in incoming().iterdir():
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > _FORGOTTEN_S and not is_wanted(path.name):
                path.unlink(missing_ok=True)
    remote = stores.remote()
    if remote is None or time.monotonic() - _listed_at < _LIST_EVERY_S:
        return
    try:
        for token in remote.long_lying(INCOMING, _FORGOTTEN_S):
            if not is_wanted(token):
                remote.remove(f"{INCOMING}/{token}")
        _listed_at = time.monotonic()
    except StoreUnavailable as error:
        _logger.warning("old archives are removed later: %s", error)


def _give_name(archive: BinaryIO, target: Path) -> None:
    """Store the bytes under a generated name: by a hard link for a file on the same disk, else by a copy."""
    path = getattr(archive, "name", None)
    if isinstance(path, str):
        with suppress(OSError, ValueError):  # no file, or on another disk
            archive.flush()
            if os.path.samestat(os.fstat(archive.fileno()), Path(path).stat()):
                os.link(path, target)
                target.chmod(0o600)
                return
    with target.open("xb") as copy:
        archive.seek(0)
        shutil.copyfileobj(archive, copy, _CHUNK)
