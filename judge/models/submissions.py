"""What students sent, what became of it, and what they asked to know in addition."""

from django.conf import settings
from django.db import models

from judge.models.nodes import WithOverhead, WorkerNode
from judge.models.queue import Precedence, QueuedWork, Status
from judge.verdicts import Verdict


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

    TASK = "judge.grade_submission"
    PRECEDENCE = Precedence.STUDENTS

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
    score = models.FloatField(null=True)  # of a scoring problem; None: not one, or no judgement
    max_score = models.FloatField(null=True)  # None: not a scoring problem, or unbounded
    groups = models.JSONField(default=list)  # of a scoring problem: judge.events.GroupJudged, one mapping each
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

    @property
    def channel(self) -> str:
        """The channel of its page."""
        return f"submission:{self.pk}"

    def start_over(self) -> None:
        """Forget the results and what compiling said, and note what this attempt's worker adds to each run."""
        self.results.all().delete()
        node = WorkerNode.objects.filter(name=self.worker.rpartition("/")[0])
        overhead = node.values(*self.OVERHEAD_COLUMNS).first() or dict.fromkeys(self.OVERHEAD_COLUMNS)
        Submission.objects.filter(pk=self.pk).update(
            score=None,
            groups=[],
            compile_ok=None,
            compile_message="",
            compile_wall_time_us=None,
            toolchain="",
            meter_problem="",
            **overhead,
        )

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
    team_message = models.TextField(blank=True)  # the checker's words for the contestant; samples only
    score = models.FloatField(null=True)  # what the checker gave
    same_as = models.CharField(max_length=200, blank=True)  # the earlier case whose run this is, being the same
    passes = models.PositiveIntegerField(default=1)  # of a multi-pass problem, how often the program ran
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

    TASK = "judge.profile_case"
    PRECEDENCE = Precedence.STUDENTS

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

    @property
    def channel(self) -> str:
        """The channel of the submission's page."""
        return f"submission:{self.result.submission_id}"

    def give_up(self, why: str) -> None:
        """Say that it failed; the reason is in the worker's log."""
        self.problem = "The profile pass failed because of an error of ours. Ask for it again in a moment."
