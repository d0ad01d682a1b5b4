"""Ranges of submissions whose results were deleted by age. Written by `judge.retention.expiry` only."""

from django.db import models


class ExpiredResults(models.Model):
    """One deletion: of the results of submissions from `first` on, before `end`.

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
