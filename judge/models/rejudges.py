"""Rejudges: sets of submissions judged again, with their new results kept apart until applied.

Written by `judge.rejudging.rejudging` and `judge.submissions.records` only. No page of a student's reads it before it
is applied.
"""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from judge.models.judged import JudgedProgram, MeasuredCase
from judge.models.queue import UNFINISHED, Status
from judge.models.submissions import Submission

_COUNTED = [
    *("status", "verdict", "score", "old_verdict", "old_score", "old_attempt"),
    *("is_given_up", "is_stale", "applied_at"),
]


_SCORE_CHANGED = (
    Q(score__isnull=False, old_score__isnull=True)
    | Q(score__isnull=True, old_score__isnull=False)
    | Q(score__lt=F("old_score"))
    | Q(score__gt=F("old_score"))
)
# of a RejudgedSubmission: its new result has another verdict or another score
CHANGED = Q(status=Status.DONE, is_given_up=False) & (~Q(verdict=F("old_verdict")) | _SCORE_CHANGED)


class Rejudge(models.Model):
    """A set of submissions of one problem, judged by one version. Open until it is applied or discarded."""

    problem = models.ForeignKey("problems.Problem", on_delete=models.CASCADE, related_name="rejudges")
    version = models.ForeignKey("problems.ProblemVersion", on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=500)  # students read it beside their new verdict
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    applied_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    applied_at = models.DateTimeField(null=True)  # the decision; the rows follow
    settled_at = models.DateTimeField(null=True)  # the last row has followed
    discarded_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    discarded_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"rejudge {self.pk}"

    @property
    def channel(self) -> str:
        """The Redis channel of its page."""
        return f"rejudge:{self.pk}"

    @property
    def is_open(self) -> bool:
        """Return whether it is neither applied nor discarded."""
        return self.applied_at is None and self.discarded_at is None

    @property
    def is_being_applied(self) -> bool:
        """Return whether it is to be applied and some rows still remain."""
        return self.applied_at is not None and self.settled_at is None


class RejudgedSubmissionQuerySet(models.QuerySet["RejudgedSubmission"]):
    """Sets of rejudged submissions."""

    def unfinished(self) -> "RejudgedSubmissionQuerySet":
        """Return the submissions not judged yet."""
        return self.exclude(status=Status.DONE)

    def judged(self) -> "RejudgedSubmissionQuerySet":
        """Return the submissions that have a new result."""
        return self.filter(status=Status.DONE, is_given_up=False)

    def changed(self) -> "RejudgedSubmissionQuerySet":
        """Return the submissions whose new result has another verdict or another score."""
        return self.filter(CHANGED)

    def to_apply(self) -> "RejudgedSubmissionQuerySet":
        """Return the submissions whose new result can replace the old one and has not yet."""
        return self.judged().filter(applied_at=None, is_stale=False)

    def applied(self) -> "RejudgedSubmissionQuerySet":
        """Return the submissions whose new result replaced the old one, in this order, with the reason."""
        applied = self.filter(applied_at__isnull=False).order_by("applied_at")
        return applied.select_related("rejudge__version").defer("compile_message", "explanation", "groups")

    def overtaken(self) -> "RejudgedSubmissionQuerySet":
        """Return the submissions that were judged otherwise since they were chosen."""
        return self.filter(Q(is_stale=True) | Q(pk__in=self.newly_overtaken().values("pk")))

    def newly_overtaken(self) -> "RejudgedSubmissionQuerySet":
        """Return overtaken submissions not yet tried. Submissions judged only once are not looked up."""
        again = self.filter(applied_at=None, is_stale=False, submission__attempt__gt=1)
        return again.filter(submission__problem=F("rejudge__problem")).exclude(submission__attempt=F("old_attempt"))


class RejudgedSubmission(JudgedProgram):
    """One submission in a rejudge: its new result, and its result when it was chosen."""

    TASK = "judge.rejudge_submission"
    PERSON = ""
    IS_WATCHED = False

    rejudge = models.ForeignKey(Rejudge, on_delete=models.CASCADE, related_name="submissions")
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="rejudged")
    old_version = models.ForeignKey("problems.ProblemVersion", on_delete=models.PROTECT, related_name="+")
    old_attempt = models.PositiveIntegerField()
    old_verdict = models.CharField(max_length=3)
    old_score = models.FloatField(null=True)
    old_max_cpu_time_us = models.PositiveBigIntegerField(null=True)
    old_max_peak_memory_bytes = models.PositiveBigIntegerField(null=True)
    old_finished_at = models.DateTimeField(null=True)
    is_given_up = models.BooleanField(default=False)  # by our own failures: there is no new result
    is_stale = models.BooleanField(default=False)  # found overtaken when it was to be applied, and left alone
    applied_at = models.DateTimeField(null=True)

    objects = RejudgedSubmissionQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["rejudge", "submission"], name="once_in_a_rejudge")]
        indexes = [
            # its page counts by these without reading a row
            models.Index(fields=["rejudge", "submission"], include=_COUNTED, name="rejudged_of_rejudge"),
            models.Index(fields=["status", "next_try_at"], name="rejudged_unfinished", condition=UNFINISHED),
        ]

    def __str__(self) -> str:
        return f"submission {self.submission_id} in rejudge {self.rejudge_id}"

    @property
    def channel(self) -> str:
        return f"rejudge:{self.rejudge_id}"

    def give_up(self, why: str) -> None:
        """Leave no new result: the submission keeps its own."""
        super().give_up(why)
        self.is_given_up = True


class RejudgedCase(MeasuredCase):
    """One test case's result in a rejudge. Applying turns it into a TestCaseResult."""

    rejudged = models.ForeignKey(RejudgedSubmission, on_delete=models.CASCADE, related_name="results")

    class Meta(MeasuredCase.Meta):
        constraints = [
            models.UniqueConstraint(fields=["rejudged", "attempt", "position"], name="one_rejudged_result_per_case")
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.rejudged_id}"
