"""The workers as staff see them: capabilities, current work, and why one does not count system calls by name."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _, gettext_noop

from judge.models import KINDS, QueuedWork, Status, Submission, WorkerNode
from sandbox.errors import MeterProblem, MeterStop

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


_SENTENCES = {
    MeterStop.UNREADABLE: gettext_noop("the meter cannot be read: %(words)s"),
    MeterStop.NO_START: gettext_noop("the meter saw no program start in the jail"),
    MeterStop.SKIPPED: gettext_noop("the kernel skipped %(number)s system calls"),
    MeterStop.ARCHITECTURE: gettext_noop("system calls are counted by name on x86-64 and arm64 only, not on %(words)s"),
    MeterStop.NOT_ROOT: gettext_noop("counting system calls by name needs root"),
    MeterStop.NO_KERNEL_TYPES: gettext_noop(
        "this kernel does not describe its types (%(words)s): use one built with BTF"
    ),
    MeterStop.NOT_BUILT: gettext_noop(
        "the meter is not built: install clang and libbpf-dev, then make -C sandbox/native"
    ),
    MeterStop.NOT_LOADED: gettext_noop("the meter cannot be loaded: %(words)s"),
    MeterStop.NOT_ATTACHED: gettext_noop("the meter cannot be attached: %(words)s"),
    MeterStop.NOT_COUNTING: gettext_noop("the meter cannot count a run: %(words)s"),
    MeterStop.FAILED: gettext_noop("the profile pass failed because of an error of ours"),
}
_LACKS_CAPABILITIES = {
    MeterStop.NOT_LOADED: gettext_noop(
        "the meter cannot be loaded: %(words)s (grant CAP_BPF and CAP_PERFMON: see sandbox/privileges.md)"
    ),
    MeterStop.NOT_ATTACHED: gettext_noop(
        "the meter cannot be attached: %(words)s (grant CAP_BPF and CAP_PERFMON: see sandbox/privileges.md)"
    ),
    MeterStop.NOT_COUNTING: gettext_noop(
        "the meter cannot count a run: %(words)s (grant CAP_BPF and CAP_PERFMON: see sandbox/privileges.md)"
    ),
}


def meter_sentence(problem: MeterProblem) -> str:
    """Return the reason; in the words of the problem where its code has none."""
    templates = _LACKS_CAPABILITIES if problem.lacks_capabilities else _SENTENCES
    if problem.code not in templates:
        return str(problem)
    return _(templates[problem.code]) % {"words": problem.words, "number": problem.number}
