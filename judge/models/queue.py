"""The queue's columns, shared by every row that workers take."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

REQUESTED = "requested"  # the line of what people ask for with a click: reruns of cases, and custom runs


class Status(models.TextChoices):
    """The position of a piece of work in the queue; never mixed with the verdict."""

    QUEUED = "queued", gettext_lazy("Queued")
    JUDGING = "judging", gettext_lazy("Judging")
    DONE = "done", gettext_lazy("Done")


UNFINISHED = ~models.Q(status=Status.DONE)  # condition of the indexes that leave out finished rows


class QueuedWork(models.Model):
    """A row that workers take: the queue's columns. See docs/queue.md.

    A kind of work is a subclass in `judge.models.KINDS` and a task of the name TASK in `judge.workers.tasks`.
    """

    TASK: ClassVar[str]
    ORDER: ClassVar[tuple[str, ...]] = ("turn", "pk")  # in which rows that wait are taken
    PERSON: ClassVar[str] = "user"  # the column of the person whose turn a row takes; "": nobody's
    is_sent_again = False  # this request sent what an earlier one had sent: judge.submissions.intake

    status = models.CharField(max_length=8, choices=Status.choices, default=Status.QUEUED)
    attempt = models.PositiveIntegerField(default=0)  # the fence: every write names the attempt it belongs to
    failures = models.PositiveIntegerField(default=0)  # attempts that ended by our own fault; see settings.MAX_ATTEMPTS
    last_failure = models.CharField(max_length=300, blank=True, default="", db_default="")  # of these, for staff
    lease_until = models.DateTimeField(null=True, blank=True)  # by the database's clock
    next_try_at = models.DateTimeField(null=True, blank=True)  # not before this time; None: at once
    worker = models.CharField(max_length=200, blank=True)
    # fair between people: judge.queue.fairness, in ms
    turn = models.PositiveBigIntegerField(default=0, db_default=0)
    expected_ms = models.PositiveIntegerField(default=0, db_default=0)  # what it was expected to take when it came
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
    def person_id(self) -> int | None:
        """The person whose turn it takes; None: nobody's."""
        person: int | None = getattr(self, f"{self.PERSON}_id") if self.PERSON else None
        return person

    @property
    def line(self) -> str:
        """The line in which it waits: people take turns in each. Usually that of its kind."""
        return self.TASK

    @property
    def channel(self) -> str:
        """The Redis channel for news of this work: that of its page."""
        raise NotImplementedError

    def note(self, **columns: Any) -> list[str]:
        """Set these columns; return their names, for `save`."""
        for name, value in columns.items():
            setattr(self, name, value)
        return [*columns]

    def start_over(self) -> list[str]:
        """Clear the results of earlier attempts, in the transaction of the claim; return the columns to save."""
        return []

    def give_up(self, why: str) -> None:
        """Fill in the result after too many of our own failures: `why` is for staff. Does not save."""
        raise NotImplementedError


class Share(models.Model):
    """How much of one line a person has had: see `judge.queue.fairness`.

    `finish`: where the person's last work in it ends, in ms of the line's own time; `cost_ms`: what the last one that
    has ended took.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    line = models.CharField(max_length=40)
    finish = models.PositiveBigIntegerField(default=0)
    cost_ms = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "line"], name="one_share_of_a_line")]
        indexes = [models.Index(fields=["line", "-finish"], name="share_by_line")]

    def __str__(self) -> str:
        return f"share of {self.user_id} of {self.line}"
