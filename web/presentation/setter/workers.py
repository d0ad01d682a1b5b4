"""The workers as staff see them: capabilities, test results and current work."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from judge.models import KINDS, QueuedWork, Status, Submission, WorkerNode

RECENTLY = timedelta(minutes=10)
_NEWEST = 5_000  # submissions that are looked at: finding what was judged lately costs the same however many there are


_QUEUE_NAMES = {  # by the name of the model
    "submission": gettext_noop("submissions"),
    "casererun": gettext_noop("case reruns"),
    "customrun": gettext_noop("custom runs"),
    "packageupload": gettext_noop("package uploads"),
    "rejudgedsubmission": gettext_noop("rejudged submissions"),
    "experimentrun": gettext_noop("experiment runs"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerShown:
    """One worker. `busy_with` is the row it leases."""

    node: WorkerNode
    is_alive: bool
    busy_with: list[QueuedWork]
    per_minute: float  # verdicts of submissions, over RECENTLY

    @property
    def standing(self) -> str:
        if self.node.is_stopped:
            return _("stopped")
        if self.node.is_sick:
            return _("sick")
        if self.node.problem:
            return _("takes no work")
        return _("takes work") if self.is_alive else _("silent")


@dataclass(frozen=True, kw_only=True, slots=True)
class QueueShown:
    """One kind of work: how much waits, how much is being done, and the age of the oldest."""

    name: str
    waiting: int
    judging: int
    oldest: datetime | None


def workers_shown() -> list[WorkerShown]:
    """Return all workers, the living ones first."""
    alive = set(WorkerNode.objects.alive().values_list("pk", flat=True))
    held = [row for kind in KINDS for row in kind._default_manager.filter(status=Status.JUDGING)]
    newest = Submission.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    done = Submission.objects.filter(pk__gt=newest - _NEWEST, finished_at__gt=timezone.now() - RECENTLY)
    judged = Counter(_node_of(worker) for worker in done.values_list("worker", flat=True))
    rows = [
        WorkerShown(
            node=node,
            is_alive=node.pk in alive,
            busy_with=[row for row in held if _node_of(row.worker) == node.name],
            per_minute=judged[node.name] / (RECENTLY.total_seconds() / 60),
        )
        for node in WorkerNode.objects.order_by("name")
    ]
    return sorted(rows, key=lambda row: not row.is_alive)


def queues_shown() -> list[QueueShown]:
    """Return every kind of work."""
    parts = []
    for kind in KINDS:
        rows = kind._default_manager.exclude(status=Status.DONE)
        queued = rows.filter(status=Status.QUEUED)
        parts.append(
            QueueShown(
                name=_(_QUEUE_NAMES[kind._meta.model_name or ""]),
                waiting=queued.count(),
                judging=rows.filter(status=Status.JUDGING).count(),
                oldest=queued.order_by("created_at").values_list("created_at", flat=True).first(),
            )
        )
    return parts


def _node_of(worker: str) -> str:
    return worker.rpartition("/")[0]
