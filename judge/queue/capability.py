"""Match work to workers: a worker judges only languages it has, within the cores and memory it has.

A worker claims only such rows, so one without a language never uses up the attempts of a submission in it. It may hear
the wake-up for a row that it cannot judge; then it tells the workers that can. A worker that found itself unfit can
judge nothing: its processes know that FRESH_S later at most. Where no living worker has the room that a problem asks
for, each judges with what it has, and staff are told (`judge.grading.running.execution.core_shortage`).

Counting calls by name holds off all graded runs of a host, so a worker's role can leave it to others, or make it all
that the worker does. All other reruns measure times that are compared with those of the judged run: they are graders'.
A host that cannot count leaves it to others too, if any can.
"""

import time
from functools import lru_cache

from django.db.models import Q, QuerySet

from judge.grading import languages
from judge.models import (
    CaseRerun,
    CustomRun,
    ExperimentRun,
    QueuedWork,
    RejudgedSubmission,
    Submission,
    WorkerNode,
    WorkerRole,
)
from judge.queue import leases, wakeup
from judge.queue.leases import WorkT
from judge.reruns.kinds import RerunKind
from problems.models import ProblemVersion

FRESH_S = 1  # so old may be what a claim knows of its worker

# of a kind of work, where the program's language is, and the version of the problem that it is judged by
_JUDGED: dict[type[QueuedWork], tuple[str, str]] = {
    Submission: ("language", "problem_version"),
    CaseRerun: ("submission__language", "submission__problem_version"),
    CustomRun: ("language", "problem_version"),
    RejudgedSubmission: ("submission__language", "rejudge__version"),
}


def judgeable(kind: type[WorkT], name: str) -> QuerySet[WorkT]:
    """Return the rows of a kind that the worker of this name can judge."""
    return kind._default_manager.exclude(_beyond(kind, WorkerNode.objects.filter(name=name).first()))


def judgeable_lately(kind: type[WorkT], name: str) -> QuerySet[WorkT]:
    """Like `judgeable`, from workers' rows at most a second old: every claim asks, and the rows rarely change."""
    return kind._default_manager.exclude(_beyond_lately(kind, name, int(time.monotonic() / FRESH_S)))


def pass_on(kind: type[WorkT], name: str) -> None:
    """Notify workers that can judge what the named one cannot, unless they still have an unread notification."""
    beyond = _beyond(kind, WorkerNode.objects.filter(name=name).first())
    rows = leases.waiting(kind).filter(beyond).only("attempt", *kind.ORDER)
    if not beyond or not rows.exists():
        return
    for node in WorkerNode.objects.alive().exclude(name=name):
        row = rows.exclude(_beyond(kind, node)).first()
        if row is not None and wakeup.unread_wakeups(node.name) == 0:
            wakeup.notify(row, node.name)


def ring_on(kind: type[WorkT], name: str) -> None:
    """Notify the named worker of waiting work, even if notifications were lost or read by others."""
    if wakeup.unread_wakeups() != 0:
        return  # somebody comes without being asked: nothing to look for
    row = leases.in_turn(judgeable(kind, name)).only("attempt", *kind.ORDER).first()
    if row is not None and wakeup.unread_wakeups(name) == 0:
        wakeup.notify(row, name)


@lru_cache(maxsize=32)
def _beyond_lately(kind: type[QueuedWork], name: str, _second: int) -> Q:
    return _beyond(kind, WorkerNode.objects.filter(name=name).first())


def _beyond(kind: type[QueuedWork], node: WorkerNode | None) -> Q:
    """Return the rows of a kind that the worker cannot judge. A missing entry in its row excludes nothing."""
    if node is None:
        return Q()
    if node.is_unfit or (kind is not CaseRerun and node.role == WorkerRole.PROFILE):
        return Q(pk__isnull=False)
    if kind not in (*_JUDGED, ExperimentRun):
        return Q()
    missing = [name for name in languages.LANGUAGES if node.languages and name not in node.languages]
    nodes = WorkerNode.objects
    most = (nodes.counting() if node.role == WorkerRole.PROFILE else nodes.grading()).largest()
    if kind is ExperimentRun:
        beyond = _too_much("spec__settings__cores", node.cores, most.cores)
        for name in missing:
            beyond |= Q(spec__variants__contains=[{"language": name}])
        return beyond
    language, version = _JUDGED[kind]
    beyond = Q(**{f"{language}__in": missing}) if missing else Q()
    if kind is CaseRerun:
        counting, others = Q(examination=RerunKind.PROFILE), nodes.counting().filter(meter_reason__isnull=True)
        if node.role == WorkerRole.PROFILE:
            beyond |= ~counting
        elif node.role == WorkerRole.GRADE or (node.meter_reason is not None and others.exists()):
            beyond |= counting
    too_much = _too_much("cores", node.cores, most.cores)
    too_much |= _too_much("memory_bytes", node.memory_bytes, most.memory_bytes)
    if too_much:  # as a query of its own: joined, it would make claims sort the whole queue
        beyond |= Q(**{f"{version}__in": ProblemVersion.objects.filter(too_much).values("pk")})
    return beyond


def _too_much(need: str, own: int | None, most: int | None) -> Q:
    """Return rows that need more than this worker has, while another worker has enough."""
    if own is None or most is None or most <= own:
        return Q()
    return Q(**{f"{need}__gt": own, f"{need}__lte": most})
