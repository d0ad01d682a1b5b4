"""Renew a lease in a thread until the work ends or the lease is lost."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context

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
    ended = threading.Event()
    renewing = copy_context().run  # so that its lines of the log are about the same work
    thread = threading.Thread(target=renewing, args=(_renew_until, ended, lease, node), name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _renew_until(ended: threading.Event, lease: Lease[WorkT], node: str) -> None:
    last_success = time.monotonic()
    try:
        while not ended.wait(settings.LEASE_S / _RENEWALS_PER_LEASE):
            try:
                if not leases.renew(lease):
                    return  # the next write meets the fence
                registration.seen(node)
                last_success = time.monotonic()
            except Error as error:
                _logger.warning("the lease of %s was not renewed: %s", lease, error)
                connection.close()
                if time.monotonic() - last_success > settings.LEASE_S:
                    return
    finally:
        connection.close()
