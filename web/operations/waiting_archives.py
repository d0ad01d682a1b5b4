"""Back up and restore the archives of uploads that no worker has unpacked yet.

How it works: the archives of a dump lie in a folder beside it, `database-<UTC time>.uploads/<token>`, and go with it.
An archive never changes, so one that an earlier backup has is linked, not copied. Which archives a dump needs is read
in the snapshot that pg_dump then uses: one that is unpacked in between is found missing, and the next snapshot names
the package that was stored instead.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.db import connection, transaction

from judge.models import PackageUpload
from judge.models.uploads import PackageUploadQuerySet
from judge.uploads import archives
from problems.store import fsync
from problems.store.store import PackageMissing

_TRIES = 5  # each ends early only if a worker unpacked an archive within it
_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600
_SUFFIX = ".uploads"


def folder_of(dump: Path) -> Path:
    """Return the folder of the archives that this dump needs."""
    return dump.with_suffix(_SUFFIX)


@contextmanager
def kept_for(dump: Path) -> Iterator[tuple[str, list[str]]]:
    """Keep the archives for a dump; provide the snapshot to dump, and the tokens of archives that are lost.

    Raises StoreUnavailable, OSError; then nothing of it stays.
    """
    folder = folder_of(dump)
    try:
        for tries_left in reversed(range(_TRIES)):
            with transaction.atomic(durable=True):
                snapshot = _snapshot()
                needed = sorted(_waiting().values_list("token", flat=True))
                lost = [token for token in needed if not _keep(token, folder)]
                if not lost or not tries_left:
                    _drop_others(folder, needed)
                    yield snapshot, lost
                    return
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def count(dump: Path) -> int:
    """Return the number of archives kept for the dump."""
    return sum(1 for _ in folder_of(dump).glob("*"))


def remove_with(dump: Path) -> None:
    """Remove a dump and its archives."""
    dump.unlink()
    shutil.rmtree(folder_of(dump), ignore_errors=True)


def put_back(dump: Path) -> list[str]:
    """Give the archives to the uploads of the restored database; return the names of uploads whose archive is missing.

    Raises StoreUnavailable, OSError.
    """
    missing = []
    for upload in _waiting().order_by("pk"):
        archive = folder_of(dump) / upload.token
        if archive.is_file() and archive.stat().st_size == upload.size:
            archives.put_back(archive, upload.token)
        else:
            missing.append(f"{upload} ({upload.name})")
    return missing


def _waiting() -> PackageUploadQuerySet:
    return PackageUpload.objects.undecided().exclude(token="")


def _snapshot() -> str:
    """Return the name of the current transaction's snapshot, which stays as long as the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT pg_export_snapshot()")
        return str(cursor.fetchone()[0])


def _keep(token: str, folder: Path) -> bool:
    """Have the archive in the folder; return False if there is none."""
    folder.mkdir(exist_ok=True, mode=_PRIVATE_FOLDER)
    target = folder / token
    if target.exists():
        return True
    for earlier in folder.parent.glob(f"*{_SUFFIX}/{token}"):
        with suppress(OSError):  # a file system without links
            os.link(earlier, target)
            return True
    half = folder / f"{token}.half"
    try:
        with (
            tempfile.TemporaryDirectory(prefix="tally-backup-") as passing,
            archives.opened(token, Path(passing)) as archive,
            half.open("wb") as copy,
        ):
            half.chmod(_PRIVATE_FILE)
            shutil.copyfileobj(archive, copy)
    except (FileNotFoundError, PackageMissing):
        half.unlink(missing_ok=True)
        return False
    fsync.give_name(half, target)
    return True


def _drop_others(folder: Path, needed: list[str]) -> None:
    """Leave the archives that the snapshot names; without any, no folder."""
    if folder.is_dir():
        for path in folder.iterdir():
            if path.name not in needed:
                path.unlink()
        with suppress(OSError):  # it holds some
            folder.rmdir()
