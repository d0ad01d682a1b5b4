"""The partitions of the table of results: each holds those of a range of submissions, about a month of them.

How it works: submissions get their ids one after another, so a range of ids is a time, and every query about results
names a submission. The maintenance of any worker creates the next partition while there is still room for as many
submissions as it has. Results that fit into none are in the default partition, so no insert fails: those of a sudden
flood, and new ones of old submissions whose partition was dropped. No statement here waits long for a lock, since
whoever comes meanwhile waits behind it: the next round tries again.
"""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from django.db import IntegrityError, OperationalError, connection, transaction
from django.db.models import Max
from django.db.models.functions import Now
from psycopg import sql
from psycopg.errors import LockNotAvailable

from judge.models import Status, Submission, TestCaseResult

TABLE = TestCaseResult._meta.db_table
REST = f"{TABLE}_rest"  # the default partition
MONTH = timedelta(days=30)
LEAST, MOST = 10_000, 1_000_000  # submissions of a partition
LOCK_TIMEOUT_MS = 200
_LOCK = 0x7A11_1017  # of PostgreSQL's advisory locks: one worker at a time changes partitions
_BOUNDS = re.compile(r"FOR VALUES FROM \((?:'(\d+)'|MINVALUE)\) TO \('(\d+)'\)")
_PARTITIONS = """
SELECT child.relname, pg_get_expr(child.relpartbound, child.oid), greatest(child.reltuples, 0)::bigint,
    pg_total_relation_size(child.oid)
FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid WHERE inhparent = %s::regclass
"""
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Partition:
    """The results of submissions from `first` on, before `end`. `rows` is PostgreSQL's estimate."""

    name: str
    first: int
    end: int
    rows: int
    size_bytes: int


class Busy(Exception):
    """Somebody else changes partitions, or uses the table: nothing was changed."""


def partitions() -> list[Partition]:
    """Return the partitions but the default one, the oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(_PARTITIONS, [TABLE])
        bounded = [(name, _BOUNDS.fullmatch(bounds), *sizes) for name, bounds, *sizes in cursor.fetchall()]
    bounded_partitions = [
        Partition(name=name, first=int(bounds[1] or 0), end=int(bounds[2]), rows=rows, size_bytes=size)
        for name, bounds, rows, size in bounded
        if bounds
    ]
    return sorted(bounded_partitions, key=lambda partition: partition.end)


def create_ahead() -> Partition | None:
    """Create the next partition unless there is room enough; return it. Raises django.db.Error."""
    if not _is_needed():
        return None
    try:
        with changing():
            created = _create_next() if _is_needed() else None
    except (Busy, IntegrityError) as why:  # a result that fits into none came at this moment
        _logger.info("partitions of results wait for the next round: %s", why)
        return None
    if created is not None:  # of all partitions together: autovacuum looks after each partition only
        try:
            with changing(), connection.cursor() as cursor:
                cursor.execute(f"ANALYZE {TABLE} (id, submission_id, attempt)")
        except Busy as why:
            _logger.info("the statistics of results stay as they are: %s", why)
    return created


@contextmanager
def changing() -> Iterator[None]:
    """A transaction that changes partitions, one at a time of all. Raises Busy."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_LOCK])
            if not cursor.fetchone()[0]:
                raise Busy("another worker is at it")
            cursor.execute(f"SET LOCAL lock_timeout = {LOCK_TIMEOUT_MS}")
            yield
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable):
            raise Busy("the table is in use") from error
        raise


def create(first: int, end: int) -> None:
    """Create a partition. Call it in `changing`."""
    name = f"{TABLE}_{first}"
    with connection.cursor() as cursor:
        cursor.execute(
            sql.SQL("CREATE TABLE {} (LIKE {} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)").format(*_named(name, TABLE))
        )
        # Attached, not created in its place: that would lock out everybody who reads any result.
        cursor.execute(
            sql.SQL("ALTER TABLE {} ATTACH PARTITION {} FOR VALUES FROM ({}) TO ({})").format(
                *_named(TABLE, name), sql.Literal(first), sql.Literal(end)
            )
        )
    _logger.info("partition %s of results is there, up to submission %s", name, end - 1)


def drop(name: str) -> None:
    """Drop a partition to whose rows nothing points any more. Call it in `changing`."""
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("ALTER TABLE {} DETACH PARTITION {}").format(*_named(TABLE, name)))
        cursor.execute(sql.SQL("DROP TABLE {}").format(*_named(name)))


def newest_submission() -> int:
    """Return the id of the newest submission; 0 without any."""
    return Submission.objects.aggregate(newest=Max("pk"))["newest"] or 0


def _is_needed() -> bool:
    """Return whether there is room for fewer submissions than a partition is to have."""
    last = partitions()[-1:]
    return not last or last[0].end - newest_submission() < _width()


def _create_next() -> Partition:
    last = partitions()[-1:]
    first = last[0].end if last else 0
    with connection.cursor() as cursor:  # those of a flood stay where they are
        cursor.execute(
            sql.SQL("SELECT max(submission_id) FROM {} WHERE submission_id >= {}").format(*_named(REST), first)
        )
        first = max(first, (cursor.fetchone()[0] or -1) + 1)
    create(first, max(first, newest_submission()) + _width())
    return partitions()[-1]


def _width() -> int:
    """Return the number of submissions of the last month, within bounds."""
    before = Submission.objects.filter(status=Status.DONE, finished_at__lt=Now() - MONTH).order_by("-finished_at")
    last_before = before.values_list("pk", flat=True).first() or 0
    return min(MOST, max(LEAST, newest_submission() - last_before))


def _named(*names: str) -> list[sql.Identifier]:
    return [sql.Identifier(name) for name in names]
