"""Recover from lost messages and dead workers: every worker checks the rows every settings.SWEEP_EVERY_S.

Leases that ran out are taken back, the doorbell rings again for rows that wait, what was counted is folded, workers
that were silent for a week are forgotten, and uploads that nobody wants go away.
Any number of sweepers may run at once: a row that another one holds is skipped, a ring too many is harmless.
"""

from collections.abc import Sequence
from itertools import takewhile

from django.db import transaction
from django.db.models import QuerySet

from judge import counting, doorbell, leases, uploads
from judge.leases import WorkT
from judge.models import KINDS, Precedence, QueuedWork, Status
from judge.workers import folding, nodes

MOST_RINGS = 100  # so many may wait unheard in Redis before we ring no more


def sweep() -> None:
    """Do one round. Raises django.db.Error when the database is away."""
    for kind in KINDS:
        take_back(kind)
        ring_again(kind)
    folding.fold()
    nodes.forget_silent()
    uploads.sweep()


def take_back(model: type[WorkT]) -> int:
    """Queue again the rows whose lease was not renewed in time; return how many."""
    with transaction.atomic():
        rows = list(model._default_manager.select_for_update(skip_locked=True).filter(leases.run_out()).order_by("pk"))
        for row in rows:
            leases.put_back(row, f"its worker {row.worker} stopped answering")
            counting.count_lost_lease(row)
    for row in rows:
        doorbell.announce(row, "released")
    return len(rows)


def ring_again(model: type[WorkT]) -> int:
    """Notify workers of the first rows, unless many notifications are unread; return how many were sent."""
    rows = list(leases.waiting(model).only("attempt", *model.ORDER)[:MOST_RINGS])
    precedences = dict.fromkeys(row.precedence for row in rows)
    return sum(_ring([row for row in rows if row.precedence is each], each) for each in precedences)


def _ring(rows: Sequence[QueuedWork], precedence: Precedence) -> int:
    unheard = doorbell.ringing(precedence)
    if unheard is None or unheard >= MOST_RINGS:
        return 0
    return sum(1 for _ in takewhile(doorbell.ring, rows[: MOST_RINGS - unheard]))


def hand_back(node: str) -> int:
    """Queue again the rows of the stopping worker `node`; that is no failure. Returns how many."""
    return sum(_hand_back(kind, node) for kind in KINDS)


def take_away(node: str, why: str) -> int:
    """Give the rows of the worker `node`, whose host is sick, to others; return how many.

    Each costs an attempt: it may be one of them that makes hosts sick. But it need not pause.
    """
    return sum(_take_away(kind, node, why) for kind in KINDS)


def _take_away(model: type[WorkT], node: str, why: str) -> int:
    with transaction.atomic():
        rows = list(_held(model, node))
        for row in rows:
            leases.put_back(row, f"its worker's host fell sick: {why}")
            counting.count_failure(row)
        model._default_manager.filter(pk__in=[row.pk for row in rows]).update(next_try_at=None)
    for row in rows:
        doorbell.announce(row, "released")
        if not row.is_done:
            doorbell.ring(row)
    return len(rows)


def _held(model: type[WorkT], node: str) -> QuerySet[WorkT]:
    """Return the locked rows that a worker leases."""
    held = model._default_manager.filter(status=Status.JUDGING, worker__startswith=f"{node}/")
    return held.select_for_update().order_by("pk")


def _hand_back(model: type[WorkT], node: str) -> int:
    with transaction.atomic():
        rows = list(_held(model, node))
        model._default_manager.filter(pk__in=[row.pk for row in rows]).update(status=Status.QUEUED, lease_until=None)
    for row in rows:
        doorbell.announce(row, "released")
        doorbell.ring(row)
    return len(rows)
