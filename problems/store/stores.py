"""Choose this installation's package store from its settings.

Without a storage the folder STORE_DIR is the store itself, and web and workers share it. With one, which is
STORAGES["packages"], the folder is this machine's own, and holds copies of what the storage has.
"""

import functools
import os
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.files.storage import storages

from problems.store.store import PackageStore

if TYPE_CHECKING:  # importing it takes a third of a second: only where there is a storage
    from problems.store.remote import Remote

INCOMING = "incoming"  # below the folder and in the storage: archives that no worker has looked at yet


def package_store() -> PackageStore:
    """Return the store of this installation."""
    behind = remote()
    if behind is None:
        return PackageStore(settings.STORE_DIR)
    from problems.store.cached_store import CachedStore

    return CachedStore(settings.STORE_DIR, behind, settings.PACKAGE_CACHE_BYTES)


def remote() -> "Remote | None":
    """Return the storage behind the store, if there is one."""
    return _remote(os.getpid()) if "packages" in settings.STORAGES else None


@functools.lru_cache(maxsize=1)
def _remote(_process: int) -> "Remote":
    """Return one storage per process: a forked process must not use its parent's connections."""
    from problems.store.remote import Remote

    return Remote(storages.create_storage(settings.STORAGES["packages"]))
