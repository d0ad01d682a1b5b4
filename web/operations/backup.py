"""Back up everything irreplaceable into one folder: the database, and the packages that its rows name.

How it works: `database-<UTC time>.dump` is PostgreSQL's own custom format, one consistent moment. Packages are copied
after it, since a version is stored before a row can name it; they never change, so a later backup adds what is new:
`packages/<digest>.zip`, as the package storage has them. Nobody else may read any of it, whatever folder it lies in.
Archives of uploads that no worker has unpacked yet lie in a folder beside the dump, `database-<UTC time>.uploads`, by
their tokens, and go with it. An archive never changes, so one that an earlier backup has is linked, not copied. Which
archives a dump needs is read in the snapshot that pg_dump then uses: one that is unpacked in between is found missing,
and the next snapshot names the package that was stored instead.
Nothing needs to be stopped. Restoring replaces the database in one transaction, brings it up to this version of Tally,
and puts archives and packages into the store, each package checked by its digest. Not in a backup: secrets.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Any

from django.core.management import call_command
from django.db import connection, transaction

from judge.models import PackageUpload, PackageUploadQuerySet
from judge.uploads import archives
from problems.archive.export import zip_chunks
from problems.models import ProblemVersion
from problems.package import PackageErrors
from problems.store import fsync
from problems.store.cached_store import CachedStore
from problems.store.remote import Remote
from problems.store.storages import FolderStorage
from problems.store.store import PackageMissing, StoreUnavailable
from problems.store.stores import package_store
from web.operations import services

PACKAGES = "packages"
_TRIES = 5  # each ends early only if a worker unpacked an archive within it
_SUFFIX = ".uploads"
_TIME = "%Y-%m-%dT%H-%M-%SZ"
_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600
# What was there goes in the same transaction as what comes; a site that still holds its tables is not waited for.
_EMPTY = "SET lock_timeout = '10s'; DROP SCHEMA public CASCADE; CREATE SCHEMA public;"
_MARK = b"PGDMP"  # what PostgreSQL's custom format begins with
_ENDS_S = 1  # so long a program may take to end that cannot go on
_ONCE_MORE = "When that is mended, run this once more with --replace: it takes up what is missing."

# How libpq's programs are told where the database is: a password is then in no list of processes.
_NAMED_ALIKE = ("host", "port", "user", "password", "sslmode", "sslrootcert", "sslcert", "sslkey")
_VARIABLES = {"dbname": "PGDATABASE"} | {name: f"PG{name.upper()}" for name in _NAMED_ALIKE}


class BackupError(Exception):
    """Why there is no backup, or nothing was restored, as a sentence."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Backup:
    """The result of a backup. `missing`, `lost`: digests, and tokens of archives, that rows name and nothing has."""

    dump: Path
    archives: int
    lost: tuple[str, ...]
    packages: int
    new_packages: int
    missing: tuple[str, ...]


def back_up(folder: Path, *, keep: int) -> Backup:
    """Write the database and new packages; keep `keep` dumps. Raises BackupError, StoreUnavailable, OSError."""
    packages = folder / PACKAGES
    folder.mkdir(parents=True, exist_ok=True, mode=_PRIVATE_FOLDER)
    packages.mkdir(exist_ok=True, mode=_PRIVATE_FOLDER)
    dump = folder / f"database-{datetime.now(UTC).strftime(_TIME)}.dump"
    half = _begun(dump)
    command = ["pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={half}"]
    try:
        with _archives_for(dump) as (snapshot, lost):
            _run([*command, f"--snapshot={snapshot}"])
            half.rename(dump)
    finally:
        half.unlink(missing_ok=True)
    digests = _named_digests()
    new, missing = 0, []
    for digest in digests:
        try:
            new += _keep(digest, packages)
        except (PackageMissing, PackageErrors):
            missing.append(digest)
    for old in sorted(folder.glob("database-*.dump"))[:-keep]:
        old.unlink()
        shutil.rmtree(archives_of(old), ignore_errors=True)
    return Backup(
        dump=dump,
        archives=sum(1 for _ in archives_of(dump).glob("*")),
        lost=tuple(lost),
        packages=len(digests),
        new_packages=new,
        missing=tuple(missing),
    )


def restore(dump: Path, *, replace: bool) -> int:
    """Load the dump into the database and the packages into the store; return the number of packages.

    Raises BackupError, and then the database is as it was unless the sentence says otherwise.
    """
    if not dump.is_file():
        raise BackupError(f"There is no file {dump}.")
    with dump.open("rb") as file:
        if file.read(len(_MARK)) != _MARK:
            raise BackupError(f"{dump} is no dump that manage.py backup wrote: give FOLDER/database-....dump.")
    if connection.introspection.table_names() and not replace:
        raise BackupError("The database is not empty. Give an empty one, or --replace to lose all that is in it.")
    connection.close()
    _load(dump)
    call_command("migrate", interactive=False, verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # a dump has no statistics, without which pages are slow
    try:
        lost = _put_archives_back(dump)
    except (StoreUnavailable, OSError) as error:
        raise BackupError(
            f"The database is restored, but neither are all archives of uploads nor the packages: {error}. {_ONCE_MORE}"
        ) from error
    packages = _put_back(dump.parent / PACKAGES)
    if lost:
        raise BackupError(
            f"The database and {packages} packages are restored, but the archives of these uploads are not in"
            f" {archives_of(dump)} or are damaged, and have to be sent again: {', '.join(lost)}."
        )
    return packages


def _load(dump: Path) -> None:
    """Replace the database by the dump. Raises BackupError, and then the database is as it was.

    psql carries out what pg_restore writes, without a copy of it all on the disk. It commits at the end of its input,
    so we hold that open until pg_restore has ended well, and else kill psql.
    """
    reads = ["pg_restore", "--no-owner", "--no-privileges", "--file=-", str(dump)]
    writes = ["psql", "--quiet", "--no-psqlrc", "--single-transaction", "--set=ON_ERROR_STOP=1", "--output=/dev/null"]
    writes += [f"--command={_EMPTY}", "--file=-"]
    with TemporaryFile("w+") as said_by_psql, TemporaryFile("w+") as said_by_pg_restore:
        to_read, to_write = os.pipe()
        with open(to_read, "rb") as end, open(to_write, "wb") as script:  # noqa: PTH123 - an open pipe
            psql = _started(writes, stdin=end, stderr=said_by_psql)
            end.close()
            try:
                pg_restore = _started(reads, connects=False, stdout=script, stderr=said_by_pg_restore)
                if pg_restore.wait() and _is_waiting(psql):
                    raise _failed("pg_restore", said_by_pg_restore)
            except BaseException:
                psql.kill()
                psql.wait()
                raise
            script.close()
            if psql.wait():
                raise _failed("psql", said_by_psql)


def _is_waiting(process: subprocess.Popen[bytes]) -> bool:
    """Return whether a process goes on, which would end at once if it was why the other one failed."""
    try:
        return process.wait(_ENDS_S) == 0
    except subprocess.TimeoutExpired:
        return True


def _named_digests() -> list[str]:
    """Return the digests of every version and of every undecided upload."""
    uploads = PackageUpload.objects.undecided().exclude(digest="").values_list("digest", flat=True)
    return sorted({*ProblemVersion.objects.values_list("digest", flat=True), *uploads})


def _keep(digest: str, packages: Path) -> bool:
    """Copy one version unless it exists; return whether it was new. Raises PackageMissing, PackageErrors."""
    archive = packages / f"{digest}.zip"
    if archive.exists():
        return False
    with package_store().using(digest) as package:
        half = _begun(archive)
        with half.open("wb") as file:
            for chunk in zip_chunks(package):
                file.write(chunk)
    fsync.give_name(half, archive)  # one that is there is never written again
    return True


def _begun(file: Path) -> Path:
    """Create an empty file, readable by us alone, beside the final one."""
    half = file.with_suffix(".half")
    half.unlink(missing_ok=True)  # a killed backup's
    half.touch(mode=_PRIVATE_FILE, exist_ok=False)
    return half


def _put_back(packages: Path) -> int:
    digests, behind = _named_digests(), Remote(FolderStorage(location=str(packages)))
    missing = []
    for number, digest in enumerate(digests):
        try:
            # through a folder of its own, so that only one at a time takes room
            with TemporaryDirectory(prefix="tally-restore-") as folder:
                unpacked = CachedStore(Path(folder, "store"), behind, most_bytes=0)
                with unpacked.using(digest) as package:
                    package_store().add(package.path)
        except (PackageMissing, PackageErrors):
            missing.append(digest)
        except (StoreUnavailable, OSError) as error:
            raise BackupError(
                f"The database is restored, but only {number - len(missing)} of {len(digests)} packages are: {error}."
                f" {_ONCE_MORE}"
            ) from error
    if missing:
        raise BackupError(
            f"The database is restored, but {len(missing)} of {len(digests)} packages are not in {packages} or are"
            f" damaged: {', '.join(digest[:12] for digest in missing)}."
        )
    return len(digests)


def _run(command: list[str]) -> None:
    """Run a PostgreSQL program on our database. Raises BackupError with its message."""
    with TemporaryFile("w+") as stderr, _started(command, stderr=stderr) as process:
        if process.wait():
            raise _failed(command[0], stderr)


def _started(command: list[str], *, connects: bool = True, **streams: Any) -> subprocess.Popen[bytes]:
    program = str(services.postgres_binary(command[0]))
    parameters = connection.get_connection_params() if connects else {}
    environment = {variable: str(parameters[name]) for name, variable in _VARIABLES.items() if parameters.get(name)}
    return subprocess.Popen([program, *command[1:]], env={**os.environ, **environment}, **streams)


def _failed(program: str, stderr: IO[str]) -> BackupError:
    stderr.seek(0)
    return BackupError(f"{program} failed: {stderr.read().strip()}")


def archives_of(dump: Path) -> Path:
    """Return the folder of the archives that this dump needs."""
    return dump.with_suffix(_SUFFIX)


@contextmanager
def _archives_for(dump: Path) -> Iterator[tuple[str, list[str]]]:
    """Keep the archives for a dump; provide the snapshot to dump, and the tokens of archives that are lost.

    Raises StoreUnavailable, OSError; then nothing of it stays.
    """
    folder = archives_of(dump)
    try:
        for tries_left in reversed(range(_TRIES)):
            with transaction.atomic(durable=True):
                snapshot = _snapshot()
                needed = sorted(_waiting_uploads().values_list("token", flat=True))
                lost = [token for token in needed if not _keep_archive(token, folder)]
                if not lost or not tries_left:
                    _drop_other_archives(folder, needed)
                    yield snapshot, lost
                    return
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _put_archives_back(dump: Path) -> list[str]:
    """Give the archives to the uploads of the restored database; return the names of uploads whose archive is missing.

    Raises StoreUnavailable, OSError.
    """
    missing = []
    for upload in _waiting_uploads().order_by("pk"):
        archive = archives_of(dump) / upload.token
        if archive.is_file() and archive.stat().st_size == upload.size:
            archives.put_back(archive, upload.token)
        else:
            missing.append(f"{upload} ({upload.name})")
    return missing


def _waiting_uploads() -> PackageUploadQuerySet:
    return PackageUpload.objects.undecided().exclude(token="")


def _snapshot() -> str:
    """Return the name of the current transaction's snapshot, which stays as long as the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT pg_export_snapshot()")
        return str(cursor.fetchone()[0])


def _keep_archive(token: str, folder: Path) -> bool:
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
            TemporaryDirectory(prefix="tally-backup-") as passing,
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


def _drop_other_archives(folder: Path, needed: list[str]) -> None:
    """Leave the archives that the snapshot names; without any, no folder."""
    if folder.is_dir():
        for path in folder.iterdir():
            if path.name not in needed:
                path.unlink()
        with suppress(OSError):  # it holds some
            folder.rmdir()
