"""Storages behind the package store: a bucket, or a folder that several machines mount.

The storage of django-storages makes a client per thread, and every request of the site runs in a thread of its own: it
would begin with the 60 ms of making one, and with a new connection. So all threads of a process share one client.
Source: boto3's guide, "Clients". In a mounted folder, others see a file complete or not at all.
"""

import os
import secrets
from contextlib import suppress
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
