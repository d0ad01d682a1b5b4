"""Lease queue rows to workers: one attempt at a time, for a limited time, the same for every `QueuedWork`.

A row goes queued -> judging -> done. A worker *claims* the one that goes first of those that it can do: the attempt
number grows, and the row is the worker's until its lease runs out by the database's clock. Every write of the worker
happens inside `fenced`, which locks the row and lets nobody through whose attempt is not the current one. A lease that
ran out and a failure that is ours put the row back into the queue with a pause; after settings.MAX_ATTEMPTS failures it
is given up. Writes are tried again while the database is away, as long as a lease: a PostgreSQL restart costs no
attempt.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.db import Error, InterfaceError, InternalError, OperationalError, connection, transaction
from django.db.models import Func, Q, QuerySet, TextField, Value
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

from judge.grading.stages import Stopwatch
from judge.models import QueuedWork, Status
from judge.observability import counting, logs
from judge.observability.counting import What
from problems.translation import Sentence

FIRST_PAUSE_S = 2  # after the first failure; four times as long after each further one
POSTPONED_S = 5  # what cannot be done now is tried again after this time, as often as it takes

# In the claim's own query, for its transaction alone: a statement more would take a third of what it saves.
_COMMIT_SOON = Func(
    Value("synchronous_commit"), Value("off"), Value(True), function="set_config", output_field=TextField()
)

_PAUSE_S = 1.0  # between two tries to reach the database
WorkT = TypeVar("WorkT", bound=QueuedWork)
_T = TypeVar("_T")
_logger = logging.getLogger(__name__)


class LeaseLost(Exception):
    """The row no longer belongs to this attempt, whose writes are void."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Lease(Generic[WorkT]):
    """One attempt's right to work on one row. The stopwatch starts with it.

    `errands`: what the thread that renews the lease does besides, each from a moment of time.monotonic() on; None ends
    that thread.
    """

    model: type[WorkT]
    id: int
    attempt: int
    worker: str
    claimed: WorkT | None = field(default=None, repr=False, compare=False)  # the row as it was then
    stopwatch: Stopwatch = field(default_factory=Stopwatch, repr=False, compare=False)
    errands: SimpleQueue[tuple[float, Callable[[], None]] | None] = field(
        default_factory=SimpleQueue, repr=False, compare=False
    )


def due() -> Q:
    """Return rows that may be taken now."""
    return Q(status=Status.QUEUED) & (Q(next_try_at=None) | Q(next_try_at__lte=Now()))


def waiting(model: type[WorkT]) -> QuerySet[WorkT]:
    """Return the rows that may be taken now, first in turn first."""
    return in_turn(model._default_manager.all())


def in_turn(rows: QuerySet[WorkT]) -> QuerySet[WorkT]:
    """Return those of these rows that may be taken now, first in turn first: see the model's ORDER."""
    return rows.filter(due()).order_by(*rows.model.ORDER)


def first_turns(lines: Sequence[QuerySet[Any]]) -> list[int | None]:
    """Return of each of these sets the turn of the row that may be taken first; None: of none. One statement."""
    if not lines:
        return []
    parts, values = [], list[Any]()
    for rows in lines:
        text, parameters = in_turn(rows).values("turn")[:1].query.sql_with_params()
        parts.append(f"({text})")
        values += parameters
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(parts)}", values)
        return list(cursor.fetchone())


def run_out() -> Q:
    """Return rows whose worker has not renewed its lease in time."""
    return Q(status=Status.JUDGING, lease_until__lt=Now())


def claim(rows: QuerySet[WorkT], worker: str) -> Lease[WorkT] | None:
    """Lease the first of these rows to `worker`; None when there is none.

    That is one that is nobody else's, not done and not pausing. A row that somebody takes right now is passed over.
    What earlier attempts at it wrote is forgotten. Nobody waits until the disk has the claim: if the database's machine
    fails at this moment, the row is still queued, and what this worker writes is void.
    """
    with transaction.atomic(savepoint=False):
        free = in_turn(rows).select_for_update(skip_locked=True, of=("self",), no_key=True)
        row = free.annotate(synchronous_commit=_COMMIT_SOON).first()
        if row is None:
            return None
        columns = row.note(status=Status.JUDGING, attempt=row.attempt + 1, worker=worker, next_try_at=None)
        columns += row.note(lease_until=_lease_end(), started_at=Now())
        row.save(update_fields=[*columns, *row.start_over()])
        return Lease(model=rows.model, id=row.pk, attempt=row.attempt, worker=worker, claimed=row)


def renew(lease: Lease[WorkT]) -> bool:
    """Extend the lease by settings.LEASE_S; False when it is lost."""
    return _mine(lease).update(lease_until=_lease_end()) == 1


@contextmanager
def fenced(lease: Lease[WorkT]) -> Iterator[WorkT]:
    """Provide the locked row in a transaction, for a write of this attempt. Raises LeaseLost before any write."""
    with transaction.atomic():
        row = _mine(lease).select_for_update(no_key=True).first()  # a rerun of its case may point at it
        if row is None:
            raise LeaseLost(f"{lease.model.__name__} {lease.id} is no longer attempt {lease.attempt}'s")
        yield row


def put_back(row: QueuedWork, why: str) -> None:
    """Queue a locked row again after our own failure, or give it up after too many."""
    row.failures += 1
    row.last_failure = why[:300]
    row.lease_until = None
    with logs.about_work(row):
        if row.failures >= settings.MAX_ATTEMPTS:
            _logger.error("%s is given up after %s failures of ours, the last: %s", row, row.failures, why)
            row.give_up(
                Sentence(
                    "Given up after %(number)s failures of the judge; the last one: %(failure)s",
                    number=str(row.failures),
                    failure=why,
                )
            )
            row.status, row.finished_at = Status.DONE, Now()
            counting.count(What.GIVEN_UP, row)
        else:
            _logger.warning("%s is queued again after failure %s of ours: %s", row, row.failures, why)
            row.status = Status.QUEUED
            row.next_try_at = Now() + timedelta(seconds=FIRST_PAUSE_S * 4 ** (row.failures - 1))
    row.save()


def postpone(lease: Lease[WorkT], why: str) -> WorkT:
    """Give the row back for POSTPONED_S because a resource is unavailable; not a failure. Raises LeaseLost."""
    later = Now() + timedelta(seconds=POSTPONED_S)
    with fenced(lease) as row:
        columns = row.note(status=Status.QUEUED, lease_until=None, last_failure=why[:300], next_try_at=later)
        row.save(update_fields=columns)
    _logger.warning("%s is postponed: %s", row, why)
    return row


def give_way(lease: Lease[WorkT]) -> WorkT:
    """Give the row back since somebody else waits, and try again later; not a failure. Raises LeaseLost."""
    later = Now() + timedelta(seconds=POSTPONED_S)
    with fenced(lease) as row:
        row.save(update_fields=row.note(status=Status.QUEUED, lease_until=None, next_try_at=later))
    return row


def finished(lease: Lease[WorkT]) -> WorkT | None:
    """Return the row if this very attempt finished it; None also when it was given up."""
    done = lease.model._default_manager.filter(pk=lease.id, attempt=lease.attempt, status=Status.DONE)
    return done.filter(failures__lt=settings.MAX_ATTEMPTS).first()


def write_under_lease(lease: Lease[WorkT], write: Callable[[], WorkT]) -> WorkT:
    """Carry out a write with retries. After an unanswered commit it may be done: then the next try finds its row."""
    tries = 0

    def once() -> WorkT:
        nonlocal tries
        tries += 1
        return write()

    try:
        return write_patiently(once)
    except LeaseLost:
        row = finished(lease) if tries > 1 else None
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


def _mine(lease: Lease[WorkT]) -> QuerySet[WorkT]:
    mine = {"pk": lease.id, "attempt": lease.attempt, "worker": lease.worker}  # a lost claim's number is given again
    return lease.model._default_manager.filter(**mine, status=Status.JUDGING)


def _lease_end() -> CombinedExpression:
    return Now() + timedelta(seconds=settings.LEASE_S)
