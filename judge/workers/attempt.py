"""Do one attempt's work under its lease, and give the row back when the failure is ours.

How it works: a second thread renews the lease and does its errands until the work ends. `judge.submissions.records`
sends an errand when it has gathered events that nothing else may write soon. After the lease is lost the thread only
runs errands, whose writes meet the fence.
"""

import logging
import math
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import copy_context
from functools import partial
from queue import Empty

from django.conf import settings
from django.db import Error, connection

from judge.observability import logs
from judge.queue import leases, wakeup
from judge.queue.leases import Lease, LeaseLost, WorkT
from judge.submissions import records
from judge.workers import registration
from problems.columns import clean
from problems.store.store import StoreUnavailable
from sandbox.errors import SandboxError

_RENEWALS_PER_LEASE = 6
_logger = logging.getLogger(__name__)


@contextmanager
def attempt(lease: Lease[WorkT], node: str) -> Iterator[ExitStack]:
    """Do the work of the `with` under the lease; any failure is ours, and the row goes back.

    What it yields holds things until then. That one of these cannot be closed is a failure too.
    """
    with logs.about_attempt(lease.model, lease.id, lease.attempt, lease.worker), kept(lease, node):
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
                    leases.write_patiently(partial(registration.report_problem, node, why))


def _give_back(lease: Lease[WorkT], why: str) -> bool:
    """Queue the row again; return whether this attempt still held it. A row with its verdict keeps it."""
    try:
        leases.write_patiently(partial(records.release, lease, why))
    except LeaseLost:
        return leases.finished(lease) is not None
    return True


@contextmanager
def kept(lease: Lease[WorkT], node: str) -> Iterator[None]:
    """Renew the lease during the `with`, and record that the worker `node` is alive."""
    keeping = copy_context().run  # so that its lines of the log are about the same work
    thread = threading.Thread(target=keeping, args=(_keep, lease, node), name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        lease.errands.put(None)
        thread.join()


def _keep(lease: Lease[WorkT], node: str) -> None:
    last_success = time.monotonic()
    pause_s = settings.LEASE_S / _RENEWALS_PER_LEASE
    renewal_at, errand = last_success + pause_s, None
    try:
        while True:
            due_at = min(renewal_at, errand[0] if errand else math.inf)
            try:
                errand = lease.errands.get(timeout=min(max(0.0, due_at - time.monotonic()), pause_s))
                if errand is None:
                    return
            except Empty:
                if errand and errand[0] <= time.monotonic():
                    work, errand = errand[1], None
                    work()
                if renewal_at <= time.monotonic():
                    try:
                        is_ours = leases.renew(lease)
                        if is_ours:
                            registration.seen(node)
                            last_success = time.monotonic()
                    except Error as error:
                        _logger.warning("the lease of %s was not renewed: %s", lease, error)
                        connection.close()
                        is_ours = time.monotonic() - last_success <= settings.LEASE_S
                    renewal_at = time.monotonic() + pause_s if is_ours else math.inf  # the next write meets the fence
    finally:
        connection.close()
