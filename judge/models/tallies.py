"""How many submissions of each problem got which verdict: pages count no rows."""

from django.db import models


class Tally(models.Model):
    """The judged submissions of one problem in one language with one verdict.

    Written by triggers of the database on the table of submissions (migration 0020): whoever changes a submission, a
    worker, a rejudge or somebody who deletes a user, changes these numbers in the same transaction.
    """

    problem = models.ForeignKey("problems.Problem", on_delete=models.CASCADE, related_name="tallies", db_index=False)
    language = models.CharField(max_length=16)
    verdict = models.CharField(max_length=3)
    number = models.BigIntegerField()  # a wrong one must stop no verdict: no check that it is positive

    class Meta:
        constraints = [models.UniqueConstraint(fields=["problem", "language", "verdict"], name="one_tally_per_verdict")]

    def __str__(self) -> str:
        return f"{self.number} {self.verdict} of problem {self.problem_id} in {self.language}"
