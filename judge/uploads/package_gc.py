"""Delete stored packages that an upload released, unless something else refers to them.

How it works: that an upload lets go of its package is written down (`UnwantedPackage`) in the same transaction; the
package goes after the commit, and what was written down goes with it. When the storage is away by then, or the process
is killed, `sweep` does the same later, as often as it takes.
"""

import logging
from functools import partial

from django.db import transaction

from judge.models import PackageUpload, UnwantedPackage
from problems import versions
from problems.models import ProblemVersion
from problems.store.store import StoreUnavailable
from problems.store.stores import package_store

_logger = logging.getLogger(__name__)


def forget(digest: str) -> None:
    """Delete a stored package after the commit, unless a version or an undecided upload then refers to it."""
    if digest:
        released = UnwantedPackage.objects.create(digest=digest)
        transaction.on_commit(partial(_remove, released), robust=True)  # what was decided is decided


def sweep() -> None:
    """Delete what could not be deleted earlier. Raises django.db.Error."""
    for released in UnwantedPackage.objects.order_by("pk"):
        if not _remove(released):
            return


def _remove(released: UnwantedPackage) -> bool:
    """Return whether that is done; otherwise the row stays for `sweep`."""
    digest = released.digest
    try:
        with transaction.atomic():
            versions.hold(digest)
            rows = (ProblemVersion.objects.all(), PackageUpload.objects.undecided())
            # asked while nobody can be adding it
            if not any(naming.filter(digest=digest).exists() for naming in rows):
                package_store().remove(digest)
            UnwantedPackage.objects.filter(pk=released.pk).delete()
    except (StoreUnavailable, OSError) as error:
        _logger.warning("package %s is removed later: %s", digest[:12], error)
        return False
    return True
