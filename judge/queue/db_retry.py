"""Retry writes while the database is away, as long as a lease: a PostgreSQL restart costs no attempt."""

import time
from collections.abc import Callable
from typing import TypeVar

from django.conf import settings
from django.db import Error, InterfaceError, InternalError, OperationalError, connection

from judge.queue import leases
from judge.queue.leases import Lease, LeaseLost, WorkT

_PAUSE_S = 1.0  # between two tries to reach the database
_T = TypeVar("_T")


def write_under_lease(lease: Lease[WorkT], write: Callable[[], WorkT]) -> WorkT:
    """Carry out a write with retries. After an unanswered commit it may be done already: then the next try finds its
    row.
    """
    tries = 0

    def once() -> WorkT:
        nonlocal tries
        tries += 1
        return write()

    try:
        return write_patiently(once)
    except LeaseLost:
        row = leases.finished(lease) if tries > 1 else None
        if row is None:
            raise
        return row


def write_patiently(write: Callable[[], _T]) -> _T:
    """Retry for settings.LEASE_S while the database is away; after that the lease is lost anyway."""
    deadline = time.monotonic() + settings.LEASE_S
    while True:
        try:
            return write()
        except (OperationalError, InterfaceError, InternalError):  # the last when a transaction idled for too long
            if time.monotonic() > deadline or connection.in_atomic_block:
                raise
            close_connection()
            time.sleep(_PAUSE_S)


def close_connection() -> None:
    """Drop the connection, which may be useless after an error; the next query opens a new one."""
    try:
        connection.close()
    except Error:
        connection.connection = None
