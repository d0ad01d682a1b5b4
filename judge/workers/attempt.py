"""Do one attempt's work under its lease, and give the row back when the failure is ours."""

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial

from django.db import Error

from judge.observability import logs
from judge.queue import db_retry, leases, wakeup
from judge.queue.leases import Lease, LeaseLost, WorkT
from judge.submissions import records
from judge.workers import registration
from judge.workers.lease_renewal import kept
from problems.columns import clean
from problems.store.store import StoreUnavailable
from sandbox.errors import SandboxError

_logger = logging.getLogger(__name__)


@contextmanager
def attempt(lease: Lease[WorkT], node: str) -> Iterator[ExitStack]:
    """Do the work of the `with` under the lease; any failure is ours, and the row goes back.

    What it yields holds things until then. That one of these cannot be closed is a failure too.
    """
    with logs.about_lease(lease), kept(lease, node):
        try:
            with ExitStack() as held:
                yield held
        except LeaseLost as lost:
            _logger.warning("the work is dropped: %s", lost)
        except StoreUnavailable as error:
            with suppress(LeaseLost, Error):
                wakeup.announce(leases.postpone(lease, clean(str(error))), "released")
        except Exception as error:
            # Whatever it is, it is no verdict. The row must go back, now rather than when the lease runs out.
            _logger.exception("%s %s failed", lease.model.__name__, lease.id)
            why = f"{type(error).__name__}: {error}"
            is_ours = True  # else somebody took the work away, and maybe its files: no sign of a broken host
            with suppress(Error):
                is_ours = _give_back(lease, why)
            if is_ours and isinstance(error, SandboxError | OSError):
                with suppress(Error):
                    db_retry.write_patiently(partial(registration.report_problem, node, why))


def _give_back(lease: Lease[WorkT], why: str) -> bool:
    """Queue the row again; return whether this attempt still held it. A row with its verdict keeps it."""
    try:
        db_retry.write_patiently(partial(records.release, lease, why))
    except LeaseLost:
        return leases.finished(lease) is not None
    return True
