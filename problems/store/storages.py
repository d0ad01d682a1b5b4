"""Storages behind the package store: a bucket, or a folder that several machines mount.

The storage of django-storages makes a client per thread, and every request of the site runs in a thread of its own: it
would begin with the 60 ms of making one, and with a new connection. So all threads of a process share one client.
Source: boto3's guide, "Clients". In a mounted folder, others see a file complete or not at all.

A folder whose mount is gone looks like an empty one: nothing is found, and removing what is not there succeeds. So the
mounted folder has a MARKER, written when it is set up. Without it, before or after an operation, the storage cannot be
used: what was found or done in between may concern the folder below the mount.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from django.core.files.storage import FileSystemStorage
from storages.backends.s3 import S3Storage

from problems.store import fsync


class BucketStorage(S3Storage):  # type: ignore[misc]  # it has no types
    """A bucket whose threads share one client."""

    @cached_property
    def connection(self) -> Any:
        """The boto3 resource that all threads share."""
        return super().connection

    def set_up(self, *, is_new: bool) -> None:
        """Do nothing: a bucket that is missing says so itself."""

    def look(self) -> None:
        """Make one cheap request. Raises boto3's error when the bucket is missing or does not answer."""
        self.connection.meta.client.list_objects_v2(Bucket=self.bucket_name, Prefix=self.location, MaxKeys=1)


HALF = "incoming"  # what a killed writer leaves there is swept as an archive that no row names


class FolderStorage(FileSystemStorage):
    """Django's file storage, but a complete file takes its name atomically, replacing an existing one."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, allow_overwrite=True)

    def look(self) -> None:
        """Open the folder. Raises OSError when that fails; before the first write it need not exist."""
        with suppress(FileNotFoundError), os.scandir(self.location):
            pass

    def _save(self, name: str, content: Any) -> str:
        half = super()._save(f"{HALF}/{secrets.token_hex(16)}", content)  # type: ignore[misc]
        path = Path(self.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        fsync.give_name(Path(self.path(half)), path)
        return name


MARKER = ".tally-packages"
_MARKED = "Packages of Tally. Without this file the folder counts as not mounted.\n"


class NotMounted(OSError):
    """The folder is not the storage that was set up."""


class MountedStorage(FolderStorage):
    """A folder that several machines mount. Every operation raises NotMounted unless the folder has the marker."""

    def set_up(self, *, is_new: bool) -> None:
        """Mark the folder, if it is to be a new storage or holds versions, as one of an earlier Tally does."""
        marker = Path(self.location, MARKER)
        if marker.exists() or not (is_new or any(marker.parent.glob("*.zip"))):
            return
        marker.parent.mkdir(parents=True, exist_ok=True)
        half = marker.with_name(f"{MARKER}-{secrets.token_hex(4)}")
        half.write_text(_MARKED)
        fsync.give_name(half, marker)

    def look(self) -> None:
        """Raises OSError when the folder is not mounted or cannot be read."""
        with self._mounted():
            super().look()

    def exists(self, name: str) -> bool:
        with self._mounted():
            return super().exists(name)

    def delete(self, name: str) -> None:
        with self._mounted():
            super().delete(name)

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        with self._mounted():
            return super().listdir(path)

    def get_modified_time(self, name: str) -> datetime:
        with self._mounted():
            return super().get_modified_time(name)

    def _open(self, name: str, mode: str = "rb") -> Any:
        with self._mounted():
            return super()._open(name, mode)  # type: ignore[misc]

    def _save(self, name: str, content: Any) -> str:
        with self._mounted():
            return super()._save(name, content)

    @contextmanager
    def _mounted(self) -> Iterator[None]:
        self._check()
        try:
            yield
        finally:
            self._check()

    def _check(self) -> None:
        if not Path(self.location, MARKER).exists():
            raise NotMounted(
                f"{self.location} has no file {MARKER}: it is not mounted, or was never set up (manage.py prepare)"
            )
