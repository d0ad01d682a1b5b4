"""The storage behind the package store: objects by name, in a bucket or in a folder mounted by all machines.

How it works: Django's storage `packages` keeps one archive per version, `<digest>.zip`, and archives that no worker has
looked at yet below `incoming/`. An object is seen whole or not at all, and never changes. After a failure the storage
is left alone for REST_S, so that what is here already can be used meanwhile. Only who wants to know how it is asks it
all the same.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path

from boto3.exceptions import Boto3Error
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files import File
from django.core.files.storage import Storage
from s3transfer.exceptions import RetriesExceededError

from problems.store.store import PackageMissing, StoreUnavailable

REST_S = 5
_CHUNK = 1024 * 1024
_FAILURES = (OSError, BotoCoreError, ClientError, Boto3Error, RetriesExceededError)


class Remote:
    """The objects of one storage. Every method raises StoreUnavailable when the storage fails."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._look: Callable[[], None] = storage.look  # type: ignore[attr-defined]  # both of ours have it
        self._failed_at = -float(REST_S)  # by time.monotonic()

    def set_up(self, *, is_new: bool) -> None:
        """Make a mounted folder usable, if it is to be a new storage or holds versions."""
        with self._noting():
            self._storage.set_up(is_new=is_new)  # type: ignore[attr-defined]  # both of ours have it

    def has(self, name: str) -> bool:
        """Return whether there is an object of this name."""
        with self._reaching():
            return self._storage.exists(name)

    def put(self, name: str, source: Path) -> None:
        """Write the file as the object of this name, replacing an existing one."""
        with self._reaching(), source.open("rb") as file:
            self._storage.save(name, File(file))

    def fetch(self, name: str, target: Path, most_bytes: int) -> None:
        """Write the object into a new file. Raises PackageMissing if it is missing or larger than allowed.

        A disk without room is StoreUnavailable too.
        """
        with self._reaching():
            try:
                source = self._storage.open(name)
            except FileNotFoundError:
                raise PackageMissing(f"the package storage has no {name}") from None
            with source, target.open("xb") as copy:
                if source.size > most_bytes:
                    raise PackageMissing(f"{name} in the package storage is damaged: it has {source.size} bytes")
                for chunk in source.chunks(_CHUNK):
                    copy.write(chunk)

    def remove(self, name: str) -> None:
        """Remove the object if it exists."""
        with self._reaching():
            self._storage.delete(name)

    def long_lying(self, folder: str, age_s: float) -> list[str]:
        """Return the names of objects in the folder that are older."""
        old: list[str] = []
        names: list[str] = []
        since = datetime.now(UTC) - timedelta(seconds=age_s)
        with self._reaching():
            with suppress(FileNotFoundError):  # nothing was put into it yet
                _, names = self._storage.listdir(folder)
            for name in names:
                try:
                    with suppress(FileNotFoundError):  # removed just now
                        old += [name] * (self._storage.get_modified_time(f"{folder}/{name}") < since)
                except ClientError as error:
                    if error.response["ResponseMetadata"]["HTTPStatusCode"] != HTTPStatus.NOT_FOUND:
                        raise
        return old

    def why_unfit(self) -> str:
        """Return why the storage cannot be used, as a sentence; empty when it can. A pause ends only with a success."""
        try:
            with self._noting():
                self._look()  # a bucket that is not there answers "no" to `has`
        except StoreUnavailable as error:
            return f"{error}. See to the storage, or correct TALLY_PACKAGES."
        self._failed_at = -float(REST_S)
        return ""

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        rest_s = self._failed_at + REST_S - time.monotonic()
        if rest_s > 0:
            raise StoreUnavailable(f"the package storage did not answer, it is asked again in {rest_s:.0f} s")
        with self._noting():
            yield

    @contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except _FAILURES as error:
            self._failed_at = time.monotonic()
            raise StoreUnavailable(f"the package storage cannot be used: {error}") from error
