"""Let the results of old submissions go: what each test case did, measured and wrote.

How it works: a partition goes as a whole when the newest submission before its end is older than
settings.RESULTS_KEPT_DAYS, and nothing holds it: a submission that is not judged, or an assignment that closes later.
Submissions, verdicts, sources, findings and totals stay, as they are in another table. The results of shared
comparisons move to the default partition first. From there results are deleted row by row, being few, when their
submission was judged that long ago and no link shows them. Each deletion is remembered, so that pages can tell
(`ExpiredResults`). The maintenance of any worker does it, one partition a round.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, IntegrityError, connection, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone
from psycopg import sql

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
from judge.retention import partitions
from judge.retention.partitions import REST, Busy, Partition

_MOST_STRAYS = 1_000  # submissions of which a round deletes the results in the default partition
_logger = logging.getLogger(__name__)


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
    for partition in partitions.partitions():
        newest = Submission.objects.filter(pk__lt=partition.end).order_by("-pk").only("created_at").first()
        if newest is None:
            continue
        if newest.created_at >= _limit(days):
            return
        if TestCaseResult.objects.filter(_within(partition)).exclude(submission__in=_shown_by_links()).exists():
            unfinished = (
                Submission.objects.filter(_within(partition, "pk"))
                .exclude(status=Status.DONE)
                .order_by("pk")
                .only("pk")
                .first()
            )
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
    with partitions.changing():
        held = (
            Submission.objects.filter(_within(partition, "pk"), pk__in=_shown_by_links())
            .select_for_update(no_key=True)
            .order_by("pk")
        )
        shared = list(held.values_list("pk", flat=True))  # a rejudge that replaces their results waits
        results = list(TestCaseResult.objects.filter(_within(partition), submission__in=shared))
        reruns = list(CaseRerun.objects.filter(_within(partition), submission__in=shared))
        dropped = TestCaseResult.objects.filter(_within(partition)).count() - len(results)
        CaseRerun.objects.filter(_within(partition))._raw_delete(
            DEFAULT_DB_ALIAS
        )  # as one statement: nothing points at a rerun
        partitions.drop(partition.name)
        if partitions.newest_submission() < partition.end:  # more are to come in its range
            partitions.create(partition.first, partition.end)
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
