"""Assignments: problems for a class, with the students who joined. Written by `web.views.assignments` only."""

import secrets

from django.conf import settings
from django.db import models

from judge.models.queue import Status
from judge.models.submissions import Submission, SubmissionQuerySet
from problems.models import AuthorsQuerySet

_TOKEN_BYTES = 12


def _new_token() -> str:
    return secrets.token_urlsafe(_TOKEN_BYTES)


class AssignmentQuerySet(AuthorsQuerySet["Assignment"]):
    """Sets of assignments; who may manage one sees its class and may change it."""

    def readable_by(self, user: object) -> "AssignmentQuerySet":
        """Return the assignments that this user manages or has joined."""
        primary_key: int = getattr(user, "pk", None) or 0  # nobody's
        joined = Assignment.students.through.objects.filter(user_id=primary_key).values("assignment_id")
        return self.manageable_by(user) | self.filter(pk__in=joined)


class Assignment(models.Model):
    """Problems for a class to solve, perhaps between two times. Whoever has the link with the token may join."""

    title = models.CharField(max_length=200)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="assignments")
    problems = models.ManyToManyField("problems.Problem", related_name="+")
    students = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+", blank=True)
    opens_at = models.DateTimeField(null=True, blank=True)  # None: since ever
    closes_at = models.DateTimeField(null=True, blank=True)  # None: for ever
    token = models.CharField(max_length=32, default=_new_token, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = AssignmentQuerySet.as_manager()

    def __str__(self) -> str:
        return self.title

    def submissions(self) -> SubmissionQuerySet:
        """Return what its students sent to its problems in its time, judged."""
        sent = Submission.objects.filter(
            problem__in=self.problems.all(), user__in=self.students.all(), status=Status.DONE
        )
        if self.opens_at is not None:
            sent = sent.filter(created_at__gte=self.opens_at)
        return sent if self.closes_at is None else sent.filter(created_at__lt=self.closes_at)
