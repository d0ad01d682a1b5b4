"""The queue's columns: what every row that workers take has."""

from django.db import models


class Status(models.TextChoices):
    """Where a piece of work is; never mixed with the verdict."""

    QUEUED = "queued"
    JUDGING = "judging"
    DONE = "done"


class QueuedWork(models.Model):
    """A row that workers take: the queue's columns. See docs/architecture.md, "the queue"."""

    status = models.CharField(max_length=8, choices=Status.choices, default=Status.QUEUED)
    attempt = models.PositiveIntegerField(default=0)  # the fence: every write names the attempt it belongs to
    failures = models.PositiveIntegerField(default=0)  # attempts that ended by our own fault; see settings.MAX_ATTEMPTS
    lease_until = models.DateTimeField(null=True, blank=True)  # by the database's clock
    next_try_at = models.DateTimeField(null=True, blank=True)  # not before this time; None: at once
    worker = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def is_done(self) -> bool:
        """Whether the work has ended."""
        return self.status == Status.DONE

    def give_up(self, why: str) -> None:
        """Fill in what is known when our own failures ended the work: `why` is for staff. Does not save."""
        raise NotImplementedError
