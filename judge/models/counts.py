"""Numbers that are kept as sums, so that no page counts rows: those behind `/metrics`, and submissions by verdict."""

from django.db import models


class Count(models.Model):
    """The number of times that one thing happened, and the sum of its values. `judge.observability.counting` writes it.

    A counter is the sum of its rows: who counts appends one, and `judge.workers.reaper` makes one of many.
    """

    what = models.CharField(max_length=16)  # judge.observability.counting.What
    first = models.CharField(max_length=40)  # a language, a stage, or a kind of work
    second = models.CharField(max_length=16, blank=True)  # a verdict, or the upper end of a stage's bucket in seconds
    number = models.PositiveBigIntegerField()
    total_us = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.what} {self.first} {self.second}: {self.number}"


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
