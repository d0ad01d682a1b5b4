"""The queue's columns, shared by every row that workers take."""

from enum import IntEnum
from typing import ClassVar

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy


class Status(models.TextChoices):
    """The position of a piece of work in the queue; never mixed with the verdict."""

    QUEUED = "queued", gettext_lazy("Queued")
    JUDGING = "judging", gettext_lazy("Judging")
    DONE = "done", gettext_lazy("Done")


class Precedence(IntEnum):
    """The order in which a worker reads notifications: priorities of kombu's Redis transport, where 0 comes first."""

    STUDENTS = 0
    INSTRUCTORS = 3
    EXPERIMENTS = 6
    BACKGROUND = 9


class QueuedWork(models.Model):
    """A row that workers take: the queue's columns. See docs/queue.md.

    A kind of work is a subclass in `judge.models.KINDS` and a task of the name TASK in `judge.tasks`.
    """

    TASK: ClassVar[str]
    PRECEDENCE: ClassVar[Precedence]  # of the kind; see also `precedence`
    ORDER: ClassVar[tuple[str, ...]] = ("pk",)  # in which rows that wait are taken
    is_sent_again = False  # this request sent what an earlier one had sent: judge.queue.sent_twice

    status = models.CharField(max_length=8, choices=Status.choices, default=Status.QUEUED)
    attempt = models.PositiveIntegerField(default=0)  # the fence: every write names the attempt it belongs to
    failures = models.PositiveIntegerField(default=0)  # attempts that ended by our own fault; see settings.MAX_ATTEMPTS
    last_failure = models.CharField(max_length=300, blank=True, default="", db_default="")  # of these, for staff
    lease_until = models.DateTimeField(null=True, blank=True)  # by the database's clock
    next_try_at = models.DateTimeField(null=True, blank=True)  # not before this time; None: at once
    worker = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)  # by the database's clock, as all times here
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def is_done(self) -> bool:
        """Return whether the work has ended."""
        return self.status == Status.DONE

    @property
    def is_untouched(self) -> bool:
        """Return whether no worker has taken it yet, so that nothing about it is in any other table."""
        return self.status == Status.QUEUED and self.attempt == 0

    @property
    def precedence(self) -> Precedence:
        """The precedence of its wake-ups, by who waits for this row."""
        return self.PRECEDENCE

    @property
    def channel(self) -> str:
        """The Redis channel for news of this work: that of its page."""
        raise NotImplementedError

    def start_over(self) -> list[str]:
        """Clear the results of earlier attempts. Called in the transaction of the claim.

        Does not save: the columns to save.
        """
        return []

    def give_up(self, why: str) -> None:
        """Fill in the result after too many of our own failures: `why` is for staff. Does not save."""
        raise NotImplementedError
