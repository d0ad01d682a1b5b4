"""Recover from lost messages and dead workers: every worker checks the rows every settings.SWEEP_EVERY_S.

It takes back leases that ran out, sends wake-ups for rows that wait, rolls up counters, forgets workers that were
silent for a week, discards uploads without a decision, deletes old custom runs, removes assignments that were deleted
long ago, and creates and drops partitions of results (`judge.retention`). Any number of reapers may run at once: a row
that another one holds is skipped, and a wake-up too many is harmless.

Append-only counters are rolled up into one row each, because a counter that everybody updates makes everybody wait. The
rows of a sum are deleted and the sum is inserted in one statement, so a reader sees either.
"""

from django.db import connection, models, transaction
from django.db.models import Q, QuerySet

from judge import custom_runs, retention
from judge.models import KINDS, Assignment, Count, RemovedStudent, Status, Tally
from judge.observability import counting
from judge.observability.counting import What
from judge.queue import leases, wakeup
from judge.queue.leases import WorkT
from judge.uploads import uploads
from judge.workers import registration


def sweep() -> None:
    """Do one round. Raises django.db.Error when the database is away."""
    for kind in KINDS:
        take_back(kind)
        wakeup.notify_again(kind)
    roll_up()
    registration.forget_silent()
    uploads.sweep()
    custom_runs.sweep()
    Assignment.with_deleted.deleted_long_ago().delete()
    RemovedStudent.objects.removed_long_ago().delete()
    retention.create_ahead()
    retention.sweep()


def take_back(model: type[WorkT]) -> int:
    """Queue again the rows whose lease was not renewed in time; return how many."""
    return _take_back(model, leases.run_out(), "its worker {} stopped answering")


def take_back_from(worker: str) -> int:
    """Queue again the rows of a process that is known to be dead, since somebody else has its slot; return how many."""
    held = Q(status=Status.JUDGING, worker=worker)
    return sum(_take_back(kind, held, "the process of its worker {} ended") for kind in KINDS)


def _take_back(model: type[WorkT], which: Q, why: str) -> int:
    with transaction.atomic():
        rows = list(model._default_manager.select_for_update(skip_locked=True).filter(which).order_by("pk"))
        for row in rows:
            leases.put_back(row, why.format(row.worker))
            counting.count(What.LEASE_LOST, row)
    for row in rows:
        wakeup.announce(row, "released")
    return len(rows)


def hand_back(node: str) -> int:
    """Queue again the rows of the stopping worker `node`; that is no failure. Returns how many."""
    number = 0
    for kind in KINDS:
        with transaction.atomic():
            rows = list(_held(kind, node))
            kind._default_manager.filter(pk__in=[row.pk for row in rows]).update(status=Status.QUEUED, lease_until=None)
        for row in rows:
            wakeup.announce(row, "released")
            wakeup.notify(row)
        number += len(rows)
    return number


def take_away(node: str, why: str) -> int:
    """Give the rows of the worker `node`, whose host is sick, to others; return how many.

    Each costs an attempt: it may be one of them that makes hosts sick. But it need not pause.
    """
    number = 0
    for kind in KINDS:
        with transaction.atomic():
            rows = list(_held(kind, node))
            for row in rows:
                leases.put_back(row, f"its worker's host fell sick: {why}")
                counting.count(What.FAILURE, row)
            kind._default_manager.filter(pk__in=[row.pk for row in rows]).update(next_try_at=None)
        for row in rows:
            wakeup.announce(row, "released")
            if not row.is_done:
                wakeup.notify(row)
        number += len(rows)
    return number


def _held(model: type[WorkT], node: str) -> QuerySet[WorkT]:
    """Return the locked rows that a worker leases."""
    held = model._default_manager.filter(status=Status.JUDGING, worker__startswith=f"{node}/")
    return held.select_for_update().order_by("pk")


def roll_up() -> None:
    """Merge all rows of the same counter into one. Raises django.db.Error."""
    _roll_up(Tally, keys=("problem_id", "language", "verdict"), numbers=("number",))
    _roll_up(Count, keys=("what", "first", "second"), numbers=("number", "total_us"))


def _roll_up(model: type[models.Model], *, keys: tuple[str, ...], numbers: tuple[str, ...]) -> None:
    table, key, number = model._meta.db_table, ", ".join(keys), ", ".join(numbers)
    sums = ", ".join(f"sum({column})" for column in numbers)
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            WITH many AS (SELECT {key} FROM {table} GROUP BY {key} HAVING count(*) > 1),
            mine AS (SELECT id FROM {table} WHERE ({key}) IN (SELECT * FROM many) ORDER BY id FOR UPDATE SKIP LOCKED),
            gone AS (DELETE FROM {table} USING mine WHERE {table}.id = mine.id RETURNING {key}, {number})
            INSERT INTO {table} ({key}, {number})
            SELECT {key}, {sums} FROM gone GROUP BY {key} HAVING {sums.split(", ")[0]} <> 0
            """  # noqa: S608 - of names that stand above
        )
