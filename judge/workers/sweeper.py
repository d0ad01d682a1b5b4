"""What makes lost messages and dead workers harmless: every worker looks at the rows every settings.SWEEP_EVERY_S.

Leases that ran out are taken back, the doorbell rings again for rows that wait, what was counted is folded, workers
that were silent for a week are forgotten, and uploads that nobody wants go away.
Any number of sweepers may run at once: a row that another one holds is skipped, a ring too many is harmless.
"""

from collections.abc import Sequence
from itertools import takewhile

from django.db import transaction

from judge import counting, doorbell, leases, uploads
from judge.leases import WorkT
from judge.models import KINDS, Precedence, QueuedWork, Status
from judge.workers import folding, nodes

MOST_RINGS = 100  # so many may wait unheard in Redis before we ring no more


def sweep() -> None:
    """One round. Raises django.db.Error when the database is away."""
    for kind in KINDS:
        take_back(kind)
        ring_again(kind)
    folding.fold()
    nodes.forget_silent()
    uploads.sweep()


def take_back(model: type[WorkT]) -> int:
    """Put the rows back whose worker has not renewed its lease; how many there were."""
    with transaction.atomic():
        rows = list(model._default_manager.select_for_update(skip_locked=True).filter(leases.run_out()).order_by("pk"))
        for row in rows:
            leases.put_back(row, f"its worker {row.worker} stopped answering")
            counting.count_lost_lease(row)
    for row in rows:
        doorbell.announce(row, "released")
    return len(rows)


def ring_again(model: type[WorkT]) -> int:
    """Ring for the rows that go first, unless many rings are still unheard; how many rings it was."""
    rows = list(leases.waiting(model).only("attempt", *model.ORDER)[:MOST_RINGS])
    precedences = dict.fromkeys(row.precedence for row in rows)
    return sum(_ring([row for row in rows if row.precedence is each], each) for each in precedences)


def _ring(rows: Sequence[QueuedWork], precedence: Precedence) -> int:
    unheard = doorbell.ringing(precedence)
    if unheard is None or unheard >= MOST_RINGS:
        return 0
    return sum(1 for _ in takewhile(doorbell.ring, rows[: MOST_RINGS - unheard]))


def hand_back(node: str) -> int:
    """Queue again what the worker `node` holds, since it is stopping; that is no failure. How many rows it was."""
    return sum(_hand_back(kind, node) for kind in KINDS)


def _hand_back(model: type[WorkT], node: str) -> int:
    with transaction.atomic():
        held = model._default_manager.filter(status=Status.JUDGING, worker__startswith=f"{node}/")
        rows = list(held.select_for_update().order_by("pk"))
        held.update(status=Status.QUEUED, lease_until=None)
    for row in rows:
        doorbell.announce(row, "released")
        doorbell.ring(row)
    return len(rows)
