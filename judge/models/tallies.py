"""Count each problem's submissions by verdict, so that no page counts rows."""

from django.db import models


class Tally(models.Model):
    """The judged submissions of one problem in one language with one verdict: the sum of such rows.

    Written by triggers of the database on the table of submissions (migration 0020): whoever changes a submission, a
    worker, a rejudge or somebody who deletes a user, appends to these numbers in the same transaction.
    """

    problem = models.ForeignKey(  # a check of it would lock the problem's row
        "problems.Problem", on_delete=models.CASCADE, related_name="tallies", db_index=False, db_constraint=False
    )
    language = models.CharField(max_length=16)
    verdict = models.CharField(max_length=3)
    number = models.BigIntegerField()  # less than 0 when as many are gone

    class Meta:
        indexes = [models.Index(fields=["problem", "language", "verdict"], name="tally_of_verdict")]

    def __str__(self) -> str:
        return f"{self.number} {self.verdict} of problem {self.problem_id} in {self.language}"
