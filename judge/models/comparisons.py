"""Shared comparisons: submissions that somebody shows to the class by a link.

Written by `judge.submissions.comparisons` only.
"""

from django.conf import settings
from django.db import models

from judge.models.assignments import visible_problems
from judge.models.submissions import Submission


class SharedComparisonQuerySet(models.QuerySet["SharedComparison"]):
    """Sets of links."""

    def owned_by(self, user: object) -> "SharedComparisonQuerySet":
        """Return the user's own links that were not revoked."""
        return self.filter(owner=getattr(user, "pk", None), owner__isnull=False, revoked_at=None)

    def readable_by(self, user: object) -> "SharedComparisonQuerySet":
        """Return the links that were not revoked, to problems that this user may see."""
        sides = SharedSide.objects.filter(submission__problem__in=visible_problems(user))
        return self.filter(revoked_at=None, pk__in=sides.values("shared"))


class SharedComparison(models.Model):
    """A link to a comparison. Everybody who has the token and is signed in may read it until it is revoked."""

    token = models.CharField(max_length=64, unique=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="shared_comparisons")
    shows_names = models.BooleanField(default=False)  # of those who sent the submissions
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True)

    objects = SharedComparisonQuerySet.as_manager()

    def __str__(self) -> str:
        return f"shared comparison {self.pk}"


class SharedSide(models.Model):
    """One submission of a shared comparison, in its place."""

    shared = models.ForeignKey(SharedComparison, on_delete=models.CASCADE, related_name="sides")
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="+")
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["shared", "position"], name="one_side_per_position")]

    def __str__(self) -> str:
        return f"side {self.position} of {self.shared_id}"
