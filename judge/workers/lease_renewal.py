"""The second thread of an attempt: it renews the lease and does its errands until the work ends.

How it works: `judge.submissions.records` sends an errand when it has gathered events that nothing else may write soon.
After the lease is lost the thread only runs errands, whose writes meet the fence.
"""

import logging
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from queue import Empty

from django.conf import settings
from django.db import Error, connection

from judge.queue import leases
from judge.queue.leases import Lease, WorkT
from judge.workers import registration

_RENEWALS_PER_LEASE = 6
_logger = logging.getLogger(__name__)


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
