"""Submissions, their results, and reruns of their cases."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, gettext_noop

from judge.grading.verdicts import Verdict
from judge.models.judged import JudgedProgram, MeasuredCase, SentSource
from judge.models.queue import REQUESTED, UNFINISHED, QueuedWork, Status
from problems.roles import is_staff

# key of an index of submissions -> what lists ask in addition: the filters, then what is counted or shown
_FILTERED = {
    "accepted": ["user", "language", "max_cpu_time_us", "max_peak_memory_bytes", "total_write_calls"],
    "user": ["problem", "language", "verdict", "status"],
    "problem": ["user", "language", "verdict", "status", "cause", "problem_version", "created_at", "score"],
    "problem_time": ["id", "user", "language", "verdict", "status", "cause", "score"],
    "user_problem": ["language", "verdict", "status", "score", "max_score", "created_at"],
    "verdict": ["problem", "language", "status"],
    "language": ["problem", "verdict", "status"],
    "status": ["user", "problem", "language", "verdict"],
}
_OF_THE_STATEMENT = ("statement_html", "translations", "files", "starters", "warnings")  # long columns of a version


class SubmissionQuerySet(models.QuerySet["Submission"]):
    """Sets of submissions."""

    def readable_by(self, user: object) -> "SubmissionQuerySet":
        """Return the submissions this user may read: their own; staff read all."""
        if is_staff(user):
            return self
        primary_key: int | None = getattr(user, "pk", None)
        return self.none() if primary_key is None else self.filter(user=primary_key)

    def with_version(self) -> "SubmissionQuerySet":
        """Return the rows with author, problem and version, without what only the problem page or a download has."""
        fields = (f"problem_version__{name}" for name in _OF_THE_STATEMENT)
        return self.select_related("problem", "problem_version", "user").defer("original", *fields)


class Submission(SentSource, JudgedProgram):
    """A student's program and its result. `original`: the bytes as they were sent, where they are not `source`."""

    TASK = "judge.grade_submission"
    IS_WATCHED = True

    # without an index of their own: those below begin with them
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="submissions", db_index=False
    )
    problem = models.ForeignKey(
        "problems.Problem", on_delete=models.CASCADE, related_name="submissions", db_index=False
    )
    problem_version = models.ForeignKey("problems.ProblemVersion", on_delete=models.PROTECT, related_name="+")
    original = models.BinaryField(null=True)
    queued_again_at = models.DateTimeField(null=True, editable=False)  # after a verdict that was taken back

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        indexes = [
            # A list's page and a filter's choices read nothing but an index; `include` is what they ask beside the key.
            models.Index(fields=["user", "-id"], include=_FILTERED["user"], name="submission_of_user"),
            models.Index(fields=["problem", "-id"], include=_FILTERED["problem"], name="submission_of_problem"),
            models.Index(fields=["verdict", "-id"], include=_FILTERED["verdict"], name="submission_of_verdict"),
            models.Index(fields=["language", "-id"], include=_FILTERED["language"], name="submission_of_language"),
            models.Index(
                fields=["user", "problem", "-id"], include=_FILTERED["user_problem"], name="submission_of_user_problem"
            ),
            models.Index(
                fields=["status", "-id"],
                include=_FILTERED["status"],
                name="submission_unfinished",
                condition=UNFINISHED,
            ),
            # the statistics of a problem
            models.Index(
                fields=["problem_version", "-id"],
                include=_FILTERED["accepted"],
                name="submission_accepted",
                condition=models.Q(verdict="AC", status=Status.DONE),
            ),
            # an assignment's weeks, a choice by date; those that another rejudge may have overtaken
            models.Index(
                fields=["problem", "created_at"], include=_FILTERED["problem_time"], name="submission_of_problem_time"
            ),
            models.Index(fields=["problem", "id"], name="submission_judged_again", condition=models.Q(attempt__gt=1)),
            # For claims. Without the status in front the planner sorts: in a rush, it takes the queue to be empty.
            models.Index(fields=["status", "turn", "id"], name="submission_turn", condition=UNFINISHED),
            models.Index(fields=["user", "-turn"], name="submission_own_turn", condition=UNFINISHED),
            # sources that nobody has read for their colours
            models.Index(
                fields=["-id"], name="submission_unread", condition=models.Q(status=Status.DONE, tokens__isnull=True)
            ),
            # the recent pace of grading
            models.Index(fields=["finished_at"], name="submission_finished", condition=models.Q(status=Status.DONE)),
        ]

    def __str__(self) -> str:
        return f"submission {self.pk}"

    def get_verdict_display(self) -> str:  # type: ignore[no-redef]  # the plugin of the stubs adds one
        """Return the verdict's long name. Django's own method translates every verdict to find one."""
        return gettext(Verdict(self.verdict).record.meaning) if self.verdict else ""

    @property
    def sent_source(self) -> bytes:
        """The source byte for byte as it was sent."""
        return bytes(self.source if self.original is None else self.original)

    @property
    def queued_since(self) -> datetime:
        return self.queued_again_at or self.created_at

    @property
    def channel(self) -> str:
        return f"submission:{self.pk}"


class TestCaseResult(MeasuredCase):
    """The result of one test case of a submission in one attempt.

    The table is partitioned by ranges of `submission`, which grows with time (`judge.retention`): its
    primary key is (id, submission_id). A query names the submission, so that it reads one partition.
    """

    __test__ = False

    # without an index of its own: that of the constraint begins with it
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="results", db_index=False)

    class Meta(MeasuredCase.Meta):
        constraints = [
            models.UniqueConstraint(fields=["submission", "attempt", "position"], name="one_result_per_case")
        ]

    def __str__(self) -> str:
        return f"{self.name} of submission {self.submission_id}"


class ExpiredResults(models.Model):
    """One deletion by age: of the results of submissions from `first` on, before `end` (`judge.retention`).

    A submission in the range may have results all the same: those of a later rejudge, or of a shared comparison.
    """

    first = models.PositiveBigIntegerField()
    end = models.PositiveBigIntegerField()
    expired_at = models.DateTimeField(auto_now_add=True)
    kept_days = models.PositiveIntegerField()  # the rule: settings.RESULTS_KEPT_DAYS as it was
    rows = models.PositiveBigIntegerField()  # how many results were deleted

    class Meta:
        indexes = [models.Index(fields=["first", "end"], name="expired_results_range")]

    def __str__(self) -> str:
        return f"results of submissions {self.first} to {self.end - 1}"


class CaseRerunQuerySet(models.QuerySet["CaseRerun"]):
    """Sets of reruns."""

    def of(self, result: TestCaseResult, **columns: Any) -> "CaseRerun":
        """Create a rerun of this case."""
        return self.create(submission_id=result.submission_id, result=result, **columns)


class CaseRerun(QueuedWork):
    """One more run of a judged case, to learn something about it. `problem` says why it failed.

    Of each examination at most one is open per case. One that nobody asked for is the judge's own idea: it came with
    the verdict, counts against nobody, and lets all that students wait for go first.
    """

    TASK = "judge.examine_case"
    ORDER = ("is_automatic", "turn", "pk")

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="reruns", db_index=False)
    # The database's constraint is on both columns, as the key of a partitioned table is: migration 0041.
    result = models.ForeignKey(TestCaseResult, on_delete=models.CASCADE, related_name="requests", db_constraint=False)
    examination = models.CharField(max_length=8)  # a value of judge.reruns.kinds.RerunKind
    # who asked for it; of those that nobody asked for the submission's author; None: of older rows
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    problem = models.CharField(max_length=300, blank=True)
    is_automatic = models.BooleanField(default=False)  # nobody asked for it

    objects = CaseRerunQuerySet.as_manager()

    class Meta:
        db_table = "judge_caserequest"
        indexes = [models.Index(fields=["submission"], name="case_rerun_of_submission")]
        constraints = [
            models.UniqueConstraint(
                fields=["result", "examination"], name="one_open_request_per_case", condition=UNFINISHED
            )
        ]

    def __str__(self) -> str:
        return f"{self.examination} of {self.result_id}"

    @property
    def line(self) -> str:
        """That of its kind, unless somebody asked for it."""
        return self.TASK if self.is_automatic else REQUESTED

    @property
    def channel(self) -> str:
        return f"submission:{self.submission_id}"

    def case(self) -> TestCaseResult:
        """Return its case, read from one partition: `result` alone names none."""
        return TestCaseResult.objects.get(submission=self.submission_id, pk=self.result_id)

    def give_up(self, why: str) -> None:
        """Say that it failed; the reason is in the worker's log."""
        self.problem = gettext_noop("This failed because of an error of ours. Ask for it again in a moment.")
