"""The table of results: its partitions by time, and letting old ones go.

How it works: each partition holds the results of a range of submissions, about a month of them. Submissions get their
ids one after another, so a range of ids is a time, and every query about results names a submission. The maintenance of
any worker creates the next partition while there is still room for as many submissions as it has. Results that fit into
none are in the default partition, so no insert fails: those of a sudden flood, and new ones of old submissions whose
partition was dropped. No statement here waits long for a lock, since whoever comes meanwhile waits behind it: the next
round tries again.

A partition goes as a whole when the newest submission before its end is older than settings.RESULTS_KEPT_DAYS, and
nothing holds it: a submission that is not judged, or an assignment that closes later. Submissions, verdicts, sources,
findings and totals stay, as they are in another table. The results of shared comparisons move to the default partition
first. From there results are deleted row by row, being few, when their submission was judged that long ago and no link
shows them. Each deletion is remembered, so that pages can tell (`ExpiredResults`). The maintenance of any worker does
it, one partition a round.
"""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, IntegrityError, OperationalError, connection, transaction
from django.db.models import F, Max, Q, QuerySet
from django.db.models.functions import Coalesce, Now
from django.utils import timezone
from psycopg import sql
from psycopg.errors import LockNotAvailable

from judge.models import (
    Assignment,
    AssignmentQuerySet,
    CaseRerun,
    ExpiredResults,
    SharedSide,
    Status,
    Submission,
    TestCaseResult,
)

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
_MOST_STRAYS = 1_000  # submissions of which a round deletes the results in the default partition
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Old:
    """A partition that is old enough to go. `newest_at`: when its newest submission came; `held`: why it stays."""

    partition: Partition
    newest_at: datetime
    held: str


def sweep() -> None:
    """Do the next step, if the setting says so. Raises django.db.Error."""
    if settings.RESULTS_KEPT_DAYS:
        expire_next(settings.RESULTS_KEPT_DAYS)


def expire_next(days: int) -> Partition | None:
    """Drop the oldest partition that may go, and some strays; return the partition, None if nothing went."""
    _expire_strays(days)
    free = next((old.partition for old in old_partitions(days) if not old.held), None)
    if free is None:
        return None
    try:
        _expire(free, days)
    except (Busy, IntegrityError) as why:  # somebody asked for a rerun of an old case at this moment
        _logger.info("%s stays for now: %s", free.name, why)
        return None
    return free


def old_partitions(days: int) -> Iterator[Old]:
    """Yield the partitions that are old enough and have results to let go, the oldest first."""
    for partition in partitions():
        newest = Submission.objects.filter(pk__lt=partition.end).order_by("-pk").only("created_at").first()
        if newest is None:
            continue
        if newest.created_at >= _limit(days):
            return
        if TestCaseResult.objects.filter(_within(partition)).exclude(submission__in=_shown_by_links()).exists():
            unjudged = Submission.objects.filter(_within(partition, "pk")).exclude(status=Status.DONE)
            unfinished = unjudged.order_by("pk").only("pk").first()
            held = f"{unfinished} is not judged" if unfinished else ""
            if not held and (assignment := _open_assignments(newest.created_at).order_by("pk").first()):
                held = f"assignment {assignment.pk} ({assignment}) has yet to close"
            yield Old(partition=partition, newest_at=newest.created_at, held=held)


def expired_of(submission: Submission) -> ExpiredResults | None:
    """Return the deletion to which a judged submission without results lost them."""
    if not submission.is_done or not submission.compile_ok or not submission.test_case_count:
        return None
    return ExpiredResults.objects.filter(first__lte=submission.pk, end__gt=submission.pk).order_by("-pk").first()


def _limit(days: int) -> datetime:
    return timezone.now() - timedelta(days=days)


def _open_assignments(newest_at: datetime) -> AssignmentQuerySet:
    """Return those that have yet to close and whose time began before this."""
    closing = Assignment.objects.not_closed().filter(closes_at__isnull=False)
    return closing.alias(begins=Coalesce(F("opens_at"), F("created_at"))).filter(begins__lte=newest_at)


def _within(partition: Partition, column: str = "submission") -> Q:
    return Q((f"{column}__gte", partition.first), (f"{column}__lt", partition.end))


def _shown_by_links() -> QuerySet[SharedSide, Any]:
    return SharedSide.objects.filter(shared__revoked_at=None).values("submission")


def _expire(partition: Partition, days: int) -> None:
    """Drop a partition and remember it. Raises Busy, IntegrityError."""
    with changing():
        linked = Submission.objects.filter(_within(partition, "pk"), pk__in=_shown_by_links()).order_by("pk")
        # locked: a rejudge that replaces their results waits
        shared = list(linked.select_for_update(no_key=True).values_list("pk", flat=True))
        results = list(TestCaseResult.objects.filter(_within(partition), submission__in=shared))
        reruns = list(CaseRerun.objects.filter(_within(partition), submission__in=shared))
        dropped = TestCaseResult.objects.filter(_within(partition)).count() - len(results)
        # as one statement: nothing points at a rerun
        CaseRerun.objects.filter(_within(partition))._raw_delete(DEFAULT_DB_ALIAS)
        drop(partition.name)
        if newest_submission() < partition.end:  # more are to come in its range
            create(partition.first, partition.end)
        TestCaseResult.objects.bulk_create(results, batch_size=500)
        CaseRerun.objects.bulk_create(reruns, batch_size=500)
        ExpiredResults.objects.create(first=partition.first, end=partition.end, kept_days=days, rows=dropped)
    _logger.warning(
        "the results of submissions %s to %s are deleted, as they are older than %s days: %s rows, %s of shared"
        " comparisons stay",
        *(partition.first, partition.end - 1, days, dropped, len(results)),
    )


def _expire_strays(days: int) -> None:
    """Delete from the default partition what was judged that long ago and is shown by no link."""
    if _open_assignments(_limit(days)).exists():
        return
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("SELECT DISTINCT submission_id FROM {}").format(sql.Identifier(REST)))
        strays = [number for (number,) in cursor.fetchall()]
    if not strays:
        return
    old = Submission.objects.filter(pk__in=strays, status=Status.DONE, finished_at__lt=_limit(days))
    free = old.exclude(pk__in=_shown_by_links()).order_by("pk")
    chosen = list(free.values_list("pk", flat=True)[:_MOST_STRAYS])
    if not chosen:
        return
    with transaction.atomic():
        results = TestCaseResult.objects.filter(submission__in=chosen)
        rows = results.count()
        results.delete()
        ExpiredResults.objects.create(first=chosen[0], end=chosen[-1] + 1, kept_days=days, rows=rows)
