"""Worker rows, and the overhead of their sandboxes."""

from dataclasses import dataclass
from datetime import timedelta

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from problems.columns import RecordField
from sandbox.errors import MeterProblem


class WithOverhead(models.Model):
    """The time that a worker's sandbox adds to a run, if it was measured at its start (`sandbox.doctor.overhead`)."""

    OVERHEAD_COLUMNS = ("overhead_wall_us", "overhead_cpu_us", "empty_cpu_us", "overhead_runs")

    overhead_wall_us = models.BigIntegerField(null=True)  # around each run, in none of its times
    overhead_cpu_us = models.BigIntegerField(null=True)  # in its CPU time; may be below 0
    empty_cpu_us = models.PositiveBigIntegerField(null=True)  # CPU time of a run that does nothing
    overhead_runs = models.PositiveIntegerField(null=True)  # how many runs the medians are of

    class Meta:
        abstract = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Room:
    """A worker's cores and memory for a run."""

    cores: int | None
    memory_bytes: int | None


class WorkerRole(models.TextChoices):
    """The work that a worker takes: all but the reruns that count calls by name, only these, or both."""

    GRADE = "grade", gettext_lazy("grades")
    PROFILE = "profile", gettext_lazy("counts system calls")
    BOTH = "both", gettext_lazy("grades and counts system calls")


class WorkerNodeQuerySet(models.QuerySet["WorkerNode"]):
    """Sets of workers."""

    def heard(self) -> "WorkerNodeQuerySet":
        """Return the workers heard within the last 90 s."""
        return self.filter(last_seen_at__gt=Now() - timedelta(seconds=WorkerNode.SILENT_AFTER_S))

    def alive(self) -> "WorkerNodeQuerySet":
        """Return the workers that reported within the last 90 s that they take work."""
        return self.heard().filter(problem="")

    def grading(self) -> "WorkerNodeQuerySet":
        """Return those of the living workers that take all but reruns that count calls by name."""
        return self.alive().exclude(role=WorkerRole.PROFILE)

    def counting(self) -> "WorkerNodeQuerySet":
        """Return those of the living workers that take reruns that count calls by name."""
        return self.alive().exclude(role=WorkerRole.GRADE)

    def largest(self) -> "Room":
        """Return the most that any of these workers has; a number is None if no living one reports it."""
        return Room(**self.alive().aggregate(cores=models.Max("cores"), memory_bytes=models.Max("memory_bytes")))


class WorkerNode(WithOverhead):
    """A worker that registered: its capabilities, and when it was last heard."""

    SILENT_AFTER_S = 90  # a worker that said nothing for this long counts as gone
    TOLD_TO_STOP = "It was told to stop."
    SICK = "This worker's host is sick. "  # so a problem begins that came up while it worked, or is the kernel's

    name = models.CharField(max_length=200, unique=True)
    holder = models.CharField(max_length=120, blank=True, default="", db_default="")  # judge.workers.naming
    started_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()
    languages = models.JSONField(default=dict)  # {"cpp": "g++ (Debian 12.2.0-14) 12.2.0", ...}
    cores = models.PositiveIntegerField(null=True)  # that it may use; None: not said
    memory_bytes = models.PositiveBigIntegerField(null=True)  # of its host
    kernel = models.CharField(max_length=200, blank=True, db_default="")  # of its host, as `uname -sr` names it
    role = models.CharField(
        max_length=7, choices=WorkerRole.choices, default=WorkerRole.BOTH, db_default=WorkerRole.BOTH
    )
    processes = models.PositiveIntegerField(null=True)  # programs that it judges at once
    self_test = models.JSONField(default=list, db_default=[])  # one mapping per limit: judge.grading.selftest
    meter_reason = RecordField(MeterProblem, null=True)  # why it does not count system calls by name, if it does not
    problem = models.CharField(max_length=500, blank=True)  # why it takes no work, if it does not

    objects = WorkerNodeQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name

    @property
    def is_stopped(self) -> bool:
        """Return whether it takes no work because somebody told it to stop."""
        return self.problem == self.TOLD_TO_STOP

    @property
    def is_sick(self) -> bool:
        """Return whether it is unfit because its host became sick; it is tested again until it is well."""
        return self.problem.startswith(self.SICK)

    @property
    def is_unfit(self) -> bool:
        """Return whether it takes no work because something is wrong with it."""
        return bool(self.problem) and not self.is_stopped
