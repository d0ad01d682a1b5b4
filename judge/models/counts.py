"""Counters since this Tally was installed, behind `/metrics`."""

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
