"""Machines with a folder each and only a bucket between them."""

import os
import time
from collections.abc import Callable

from problems.format.files import MIB
from problems.store.cached_store import CachedStore
from tests.problems.store.s3 import S3Server

GIB = 1024 * MIB
LONG_AGO = 1e9
Machine = Callable[..., CachedStore]


def objects(s3_server: S3Server, bucket: str) -> dict[str, bytes]:
    """What the bucket holds, without the prefix of its names."""
    return {key.removeprefix("tally/"): content for key, content in s3_server.objects(bucket).items()}


def forget_when(store: CachedStore, digest: str, seconds_ago: float = LONG_AGO) -> None:
    """As if the version had not been used for so long."""
    os.utime(store.root / digest, (time.time() - seconds_ago,) * 2)


def left(store: CachedStore) -> set[str]:
    """The versions that a machine has."""
    return {path.name for path in store.root.iterdir() if not path.name.startswith(".fetching-")}
