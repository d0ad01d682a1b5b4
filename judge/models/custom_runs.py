"""Custom tests: a program run for its author on samples or on an input of their own, without a submission.

Written by `judge.custom_runs`, and by workers in `judge.submissions.records`, only.
"""

from django.conf import settings
from django.db import models

from judge.models.assignments import visible_problems
from judge.models.judged import JudgedProgram, MeasuredCase, SentSource
from judge.models.queue import REQUESTED, UNFINISHED, Status
from problems.roles import is_staff

_KIB = 1024


class CustomRunQuerySet(models.QuerySet["CustomRun"]):
    """Sets of custom runs."""

    def readable_by(self, user: object) -> "CustomRunQuerySet":
        """Return the user's own runs of problems that the user may see; staff read all."""
        if is_staff(user):
            return self
        primary_key: int | None = getattr(user, "pk", None)
        if primary_key is None:
            return self.none()
        return self.filter(user=primary_key, problem_version__problem__in=visible_problems(user).order_by())

    def unfinished(self) -> "CustomRunQuerySet":
        """Return the runs that wait or run."""
        return self.exclude(status=Status.DONE)


class CustomRun(SentSource, JudgedProgram):
    """A program run for its author: on one sample, on all samples, or on `input`. It counts nowhere.

    A run on `input` has nothing to compare the output with: its verdict AC says only that the program ended well.
    """

    TASK = "judge.run_custom_test"
    IS_WATCHED = True

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="custom_runs")
    problem_version = models.ForeignKey("problems.ProblemVersion", on_delete=models.CASCADE, related_name="+")
    sample = models.CharField(max_length=200, blank=True)  # the name of one; "": all, unless there is an input
    input = models.BinaryField(null=True)  # of the author's own; None: samples
    time_limit_ms = models.PositiveIntegerField()  # the problem's, but no more than the setting was

    objects = CustomRunQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["created_at"], name="custom_run_by_age"),
            models.Index(fields=["id"], name="custom_run_unfinished", condition=UNFINISHED),
        ]

    def __str__(self) -> str:
        return f"custom run {self.pk}"

    @property
    def line(self) -> str:
        """That of requested reruns, too."""
        return REQUESTED

    @property
    def is_checked(self) -> bool:
        """Return whether there is an expected output to compare with."""
        return self.input is None

    @property
    def excerpt_bytes(self) -> int:
        """The most bytes of each stream that are kept of each case: more when there is only one."""
        return 16 * _KIB if self.sample or not self.is_checked else 4 * _KIB

    @property
    def channel(self) -> str:
        return f"custom-run:{self.pk}"


class CustomRunCase(MeasuredCase):
    """The run on one sample, or on the author's input."""

    custom_run = models.ForeignKey(CustomRun, on_delete=models.CASCADE, related_name="results")

    class Meta(MeasuredCase.Meta):
        constraints = [
            models.UniqueConstraint(fields=["custom_run", "attempt", "position"], name="one_custom_result_per_case")
        ]

    def __str__(self) -> str:
        return f"{self.name} of custom run {self.custom_run_id}"
