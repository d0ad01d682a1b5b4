"""Submissions, their results and the queue as rows. The row is the truth, the broker is a doorbell.

Written by `judge.records` and `judge.intake` only.
"""

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from judge.verdicts import Verdict


class Status(models.TextChoices):
    """Where a piece of work is; never mixed with the verdict."""

    QUEUED = "queued"
    JUDGING = "judging"
    DONE = "done"


class QueuedWork(models.Model):
    """A row that workers take: the queue's columns. See docs/architecture.md, "the queue"."""

    status = models.CharField(max_length=8, choices=Status.choices, default=Status.QUEUED)
    attempt = models.PositiveIntegerField(default=0)  # the fence: every write names the attempt it belongs to
    failures = models.PositiveIntegerField(default=0)  # attempts that ended by our own fault; see settings.MAX_ATTEMPTS
    lease_until = models.DateTimeField(null=True, blank=True)  # by the database's clock
    next_try_at = models.DateTimeField(null=True, blank=True)  # not before this time; None: at once
    worker = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def is_done(self) -> bool:
        """Whether the work has ended."""
        return self.status == Status.DONE

    def give_up(self, why: str) -> None:
        """Fill in what is known when our own failures ended the work: `why` is for staff. Does not save."""
        raise NotImplementedError


class WithOverhead(models.Model):
    """What a worker's sandbox adds to a run, measured at the worker's start (`sandbox.overhead`); None: it was not."""

    OVERHEAD_COLUMNS = ("overhead_wall_us", "overhead_cpu_us", "empty_cpu_us", "overhead_runs")

    overhead_wall_us = models.BigIntegerField(null=True)  # around each run, in none of its times
    overhead_cpu_us = models.BigIntegerField(null=True)  # in its CPU time; may be below 0
    empty_cpu_us = models.PositiveBigIntegerField(null=True)  # CPU time of a run that does nothing
    overhead_runs = models.PositiveIntegerField(null=True)  # how many runs the medians are of

    class Meta:
        abstract = True


class SubmissionQuerySet(models.QuerySet["Submission"]):
    """Sets of submissions."""

    def readable_by(self, user: object) -> "SubmissionQuerySet":
        """Submissions this user may read: one's own; staff read all."""
        if getattr(user, "is_staff", False):
            return self
        primary_key: int | None = getattr(user, "pk", None)
        return self.none() if primary_key is None else self.filter(user=primary_key)


class Submission(QueuedWork, WithOverhead):
    """What a student sent and what became of it. Its overhead is that of the worker of the current attempt."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="submissions")
    problem = models.ForeignKey("problems.Problem", on_delete=models.CASCADE, related_name="submissions")
    problem_version = models.ForeignKey("problems.ProblemVersion", on_delete=models.PROTECT, related_name="+")
    language = models.CharField(max_length=16)
    source = models.BinaryField()
    verdict = models.CharField(max_length=3, blank=True, choices=[(v.value, v.meaning) for v in Verdict])
    toolchain = models.CharField(max_length=200, blank=True)
    compile_ok = models.BooleanField(null=True)
    compile_message = models.TextField(blank=True)
    compile_wall_time_us = models.PositiveBigIntegerField(null=True)
    test_case_count = models.PositiveIntegerField(null=True)
    max_cpu_time_us = models.PositiveBigIntegerField(null=True)
    max_peak_memory_bytes = models.PositiveBigIntegerField(null=True)
    explanation = models.JSONField(default=list)  # [{"code", "text", "evidence"}]
    meter_problem = models.CharField(max_length=300, blank=True)  # why counts by name are missing, if they are
    judge_message = models.TextField(blank=True)  # for staff

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["user", "-id"], name="submission_by_user"),
            models.Index(fields=["problem", "-id"], name="submission_by_problem"),
            models.Index(
                fields=["status", "next_try_at"], name="submission_unfinished", condition=~models.Q(status=Status.DONE)
            ),
        ]

    def __str__(self) -> str:
        return f"submission {self.pk}"

    @property
    def source_text(self) -> str:
        """The source for people: invalid UTF-8 shown as replacement characters."""
        return bytes(self.source).decode("utf-8", "replace")

    def give_up(self, why: str) -> None:
        """Judge error: it costs the contestant nothing."""
        self.verdict = Verdict.JE
        self.judge_message = why


class TestCaseResult(models.Model):
    """What one test case came to in one attempt, and what the program did to earn it."""

    __test__ = False

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="results")
    attempt = models.PositiveIntegerField()
    position = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    is_sample = models.BooleanField()
    verdict = models.CharField(max_length=3, choices=[(v.value, v.meaning) for v in Verdict])
    user_time_us = models.PositiveBigIntegerField()
    system_time_us = models.PositiveBigIntegerField()
    wall_time_us = models.PositiveBigIntegerField()
    queued_time_us = models.PositiveBigIntegerField(default=0)  # of the wall time: the machine gave it no core
    peak_memory_bytes = models.PositiveBigIntegerField()
    voluntary_switches = models.PositiveBigIntegerField()
    involuntary_switches = models.PositiveBigIntegerField()
    minor_faults = models.PositiveBigIntegerField()
    major_faults = models.PositiveBigIntegerField()
    read_calls = models.PositiveBigIntegerField()
    write_calls = models.PositiveBigIntegerField()
    read_bytes = models.PositiveBigIntegerField()
    write_bytes = models.PositiveBigIntegerField()
    stdout_bytes = models.PositiveBigIntegerField()
    stderr_bytes = models.PositiveBigIntegerField()
    detail = models.CharField(max_length=300, blank=True)
    output = models.BinaryField(default=b"")  # samples only, first 4 KiB
    stderr = models.BinaryField(default=b"")
    expected = models.BinaryField(default=b"")
    judge_message = models.TextField(blank=True)  # for staff
    # {"syscalls": {name: count}, "streams": {name: {"calls", "bytes"}}}, and "stopped_after_ms" when the pass was
    profile = models.JSONField(null=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "attempt", "position"], name="one_result_per_case")
        ]

    def __str__(self) -> str:
        return f"{self.name} of submission {self.submission_id}"

    @property
    def cpu_time_us(self) -> int:
        """User plus system time."""
        return self.user_time_us + self.system_time_us

    @property
    def waiting_time_us(self) -> int:
        """Wall time in which the run wanted no core: it slept, or waited for a file, a lock or a child."""
        return max(0, self.wall_time_us - self.cpu_time_us - self.queued_time_us)

    @property
    def bytes_per_write(self) -> float | None:
        """Mean size of a write call; None when there was none."""
        return self.write_bytes / self.write_calls if self.write_calls else None


class ProfileRequest(QueuedWork):
    """Somebody asked for the profile pass of one more case. At most one open per case; `problem` says why it failed."""

    result = models.ForeignKey(TestCaseResult, on_delete=models.CASCADE, related_name="profile_requests")
    problem = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["result"], name="one_open_request_per_case", condition=~models.Q(status=Status.DONE)
            )
        ]

    def __str__(self) -> str:
        return f"profile of {self.result_id}"

    def give_up(self, why: str) -> None:
        """Say that it failed; the reason is in the worker's log."""
        self.problem = "The profile pass failed because of an error of ours. Ask for it again in a moment."


class WorkerNodeQuerySet(models.QuerySet["WorkerNode"]):
    """Sets of workers."""

    def alive(self) -> "WorkerNodeQuerySet":
        """Workers that said within the last 90 s that they take work."""
        return self.filter(problem="", last_seen_at__gt=Now() - timedelta(seconds=WorkerNode.SILENT_AFTER_S))


class WorkerNode(WithOverhead):
    """A worker that said it is alive: what it can do, and when it last said so."""

    SILENT_AFTER_S = 90  # a worker that said nothing for this long counts as gone

    name = models.CharField(max_length=200, unique=True)
    started_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()
    languages = models.JSONField(default=dict)  # {"cpp": "g++ (Debian 12.2.0-14) 12.2.0", ...}
    meter_problem = models.CharField(max_length=300, blank=True)
    problem = models.CharField(max_length=500, blank=True)  # why it takes no work, if it does not

    objects = WorkerNodeQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name
