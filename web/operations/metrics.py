"""The metrics of the whole installation at `/metrics`: read from the database and the disks at each scrape.

So the numbers are the same from every web process and outlive all of them. What waits is counted in the rows, of which
indexes hold the unfinished ones; verdicts, stages and failures come from the counters of
`judge.observability.counting`.
"""

import logging
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import Error
from django.db.models import Count, Min, Q
from django.utils import timezone
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from judge.grading.verdicts import Verdict
from judge.models import KINDS, Status, WorkerNode
from judge.observability.counting import BUCKETS_S, MORE, Counted, What, counted, kind_of
from judge.queue import leases, wakeup

_logger = logging.getLogger(__name__)


def of_rows() -> list[Metric]:
    """Return the database's metrics; nothing when it is away."""
    try:
        return [*_queue(), *_counters(counted()), *_workers(list(WorkerNode.objects.order_by("name")))]
    except Error as error:
        _logger.warning("no metrics of the database: %s", error)
        return []


class WholeTally(Collector):
    """The metrics of the rows, as `look` returns them (`of_rows`), and of their surroundings."""

    def __init__(self, look: Callable[[], list[Metric]]) -> None:
        self._look = look

    def collect(self) -> Iterable[Metric]:
        """Yield the metrics of one scrape."""
        metrics_of_rows = self._look()
        yield GaugeMetricFamily("tally_database_up", "Whether PostgreSQL answers.", value=bool(metrics_of_rows))
        is_up = wakeup.unread_wakeups() is not None
        yield GaugeMetricFamily("tally_redis_up", "Whether Redis answers.", value=is_up)
        disks = GaugeMetricFamily("tally_disk_free_bytes", "Free on the disk of a folder.", labels=["folder"])
        for name, folder in (("store", settings.STORE_DIR), ("var", settings.VAR_DIR)):
            with suppress(OSError):  # of what cannot be measured nothing is said
                disks.add_metric([name], _free_bytes(folder.absolute()))
        yield disks
        yield from metrics_of_rows


def _free_bytes(folder: Path) -> int:
    """Return the free bytes of the folder's disk, even before the folder exists."""
    try:
        return shutil.disk_usage(folder).free
    except FileNotFoundError:
        return _free_bytes(folder.parent)


def _queue() -> Iterator[Metric]:
    waiting = GaugeMetricFamily("tally_queue_waiting", "Rows that may be taken now.", labels=["kind"])
    pausing = GaugeMetricFamily("tally_queue_pausing", "Rows that pause after a failure of ours.", labels=["kind"])
    judging = GaugeMetricFamily("tally_queue_judging", "Rows that a worker works on.", labels=["kind"])
    oldest = GaugeMetricFamily("tally_queue_oldest_seconds", "Age of the oldest row that waits.", labels=["kind"])
    now = timezone.now()
    for kind in KINDS:
        unfinished = kind._default_manager.exclude(status=Status.DONE)
        due = leases.due()
        numbers = unfinished.aggregate(
            waiting=Count("pk", filter=due),
            queued=Count("pk", filter=Q(status=Status.QUEUED)),
            judging=Count("pk", filter=Q(status=Status.JUDGING)),
            oldest=Min("created_at", filter=due),
        )
        labels = [kind_of(kind)]
        waiting.add_metric(labels, numbers["waiting"])
        pausing.add_metric(labels, numbers["queued"] - numbers["waiting"])
        judging.add_metric(labels, numbers["judging"])
        oldest.add_metric(labels, _seconds(numbers["oldest"], now))
    yield from (waiting, pausing, judging, oldest)


def _counters(all_counted: list[Counted]) -> Iterator[Metric]:
    verdicts = CounterMetricFamily("tally_verdicts", "Verdicts of submissions.", labels=["language", "verdict"])
    errors = CounterMetricFamily("tally_judge_errors", "Submissions that got JE: an error of ours or a setter's.")
    judged = [entry for entry in all_counted if entry.what is What.VERDICT]
    for entry in judged:
        verdicts.add_metric([entry.first, entry.second], entry.number)
    errors.add_metric([], sum(entry.number for entry in judged if entry.second == Verdict.JE))
    yield from (verdicts, errors)
    yield _by_kind(all_counted, What.LEASE_LOST, "tally_leases_lost", "Workers that stopped answering at a row.")
    yield _by_kind(all_counted, What.FAILURE, "tally_failures", "Attempts that failed by our own fault.")
    yield _by_kind(all_counted, What.GIVEN_UP, "tally_given_up", "Rows that failed too often.")
    times = HistogramMetricFamily("tally_stage_seconds", "Where a submission's time went.", labels=["stage"])
    stages = [entry for entry in all_counted if entry.what is What.STAGE]
    for stage in sorted({entry.first for entry in stages}):
        by_end = {entry.second: entry for entry in stages if entry.first == stage}
        buckets, number = [], 0
        for end in (*map(str, BUCKETS_S), MORE):
            number += by_end[end].number if end in by_end else 0
            buckets.append((end, number))
        times.add_metric([stage], buckets, sum(entry.total_us for entry in by_end.values()) / 1_000_000)
    yield times


def _by_kind(all_counted: list[Counted], what: What, name: str, words: str) -> Metric:
    metric = CounterMetricFamily(name, words, labels=["kind"])
    numbers = {entry.first: entry.number for entry in all_counted if entry.what is what}
    for kind in map(kind_of, KINDS):
        metric.add_metric([kind], numbers.get(kind, 0))  # 0 too: an alert needs a number to rise from
    return metric


def _workers(nodes: list[WorkerNode]) -> Iterator[Metric]:
    alive = set(WorkerNode.objects.alive().values_list("name", flat=True))
    now = timezone.now()
    yield GaugeMetricFamily("tally_workers_alive", "Workers that take work.", value=len(alive))
    languages = GaugeMetricFamily("tally_workers_with_language", "Workers that can run it.", labels=["language"])
    for language in sorted({name for node in nodes if not node.is_stopped for name in node.languages}):
        languages.add_metric([language], sum(language in node.languages for node in nodes if node.name in alive))
    yield languages
    per_worker: dict[str, tuple[str, dict[str, float | None]]] = {
        "up": ("Whether it takes work.", {node.name: node.name in alive for node in nodes}),
        "problem": ("Whether it found itself unfit.", {node.name: node.is_unfit for node in nodes}),
        "sick": ("Whether its host fell sick.", {node.name: node.is_sick for node in nodes}),
        "silent_seconds": (
            "Since it was last heard; not of one that was told to stop.",
            {n.name: _seconds(n.last_seen_at, now) for n in nodes if not n.is_stopped},
        ),
        "processes": ("Programs that it judges at once.", {node.name: node.processes for node in nodes}),
        "overhead_seconds": (
            "What its sandbox adds around a run.",
            {n.name: n.overhead_wall_us / 1_000_000 for n in nodes if n.overhead_wall_us is not None},
        ),
    }
    for name, (words, values) in per_worker.items():
        metric = GaugeMetricFamily(f"tally_worker_{name}", words, labels=["worker"])
        for worker, value in values.items():
            if value is not None:
                metric.add_metric([worker], value)
        yield metric


def _seconds(moment: datetime | None, now: datetime) -> float:
    return 0.0 if moment is None else max(0.0, (now - moment).total_seconds())
