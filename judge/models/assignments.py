"""Assignments: problems for a class, with the students who joined; and who sees a problem.

Written by `web.views.assignments`; what was deleted or removed stays for KEPT_FOR, then
`judge.workers.reaper` forgets it.
"""

import secrets
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models, transaction
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext_lazy

from judge.grading.verdicts import Verdict
from judge.models.queue import Status
from judge.models.submissions import Submission, SubmissionQuerySet
from problems.models import AuthorsQuerySet, Problem, ProblemQuerySet

KEPT_FOR = timedelta(days=30)  # a deleted one and a removed student, so that it can be undone
_TOKEN_BYTES = 12


def _new_token() -> str:
    return secrets.token_urlsafe(_TOKEN_BYTES)


class ExplanationLevel(models.TextChoices):
    """How much of what Tally says about a slow program is shown while an assignment is open, from little to all."""

    NOTHING = "nothing", gettext_lazy("Nothing: numbers only")
    CAUSE = "cause", gettext_lazy("The cause")
    LINE = "line", gettext_lazy("The cause, its lines and advice")
    FIX = "fix", gettext_lazy("All of it, with a changed source that is faster")

    def reaches(self, other: "ExplanationLevel") -> bool:
        """Return whether this level shows at least what the other one does."""
        levels = list(ExplanationLevel)
        return levels.index(self) >= levels.index(other)


class AssignmentQuerySet(AuthorsQuerySet["Assignment"]):
    """Sets of assignments; who may manage one sees its class and may change it."""

    def readable_by(self, user: object) -> "AssignmentQuerySet":
        """Return the assignments that this user manages or has joined."""
        return self.manageable_by(user) | self.joined_by(user)

    def joined_by(self, user: object) -> "AssignmentQuerySet":
        """Return the assignments that this user has joined."""
        primary_key: int = getattr(user, "pk", None) or 0  # nobody's
        joined = Assignment.students.through.objects.filter(user_id=primary_key)
        return self.filter(pk__in=joined.values("assignment_id"))

    def opened(self) -> "AssignmentQuerySet":
        """Return the assignments that have begun, closed ones too, by the database's clock."""
        return self.exclude(opens_at__gt=Now())

    def problems_for(self, user: object) -> "models.QuerySet[Assignment, int]":
        """Return the keys of the problems that assignments show to this user: to students since the opening, also when
        it is over, so that they find their work; to whoever manages one always.
        """
        assignments = self.opened().joined_by(user) | self.manageable_by(user)
        return assignments.values_list("problems", flat=True)

    def closed(self) -> "AssignmentQuerySet":
        """Return the assignments for which submissions no longer count, by the database's clock."""
        return self.filter(closes_at__lte=Now())

    def not_closed(self) -> "AssignmentQuerySet":
        """Return the others."""
        return self.exclude(closes_at__lte=Now())

    def levels_for(self, user_id: int | None, problem_ids: Collection[int]) -> dict[int, ExplanationLevel]:
        """Return how much a person sees explained of each problem: the least of what open assignments with it say.

        They count for everybody, since a second account would see what its class does not; for their own teachers not.
        """
        levels = dict.fromkeys(problem_ids, ExplanationLevel.FIX)
        holding = self.opened().not_closed().exclude(owner=user_id).filter(problems__in=levels)
        for problem, value in holding.values_list("problems__pk", "explanation_level"):
            if levels[problem].reaches(level := ExplanationLevel(value)):
                levels[problem] = level
        return levels

    def level_for(self, user_id: int | None, problem_id: int) -> ExplanationLevel:
        """Return the same of one problem."""
        return self.levels_for(user_id, [problem_id])[problem_id]

    def deleted(self) -> "AssignmentQuerySet":
        """Return the deleted ones that can come back."""
        return self.filter(deleted_at__gt=Now() - KEPT_FOR)

    def deleted_long_ago(self) -> "AssignmentQuerySet":
        """Return the deleted ones that nobody can bring back."""
        return self.filter(deleted_at__lte=Now() - KEPT_FOR)


class _LeavingOut(models.Manager["Assignment"]):
    """Leaves deleted assignments out, so that no query shows one that did not ask for it."""

    def get_queryset(self) -> models.QuerySet["Assignment"]:
        return super().get_queryset().filter(deleted_at=None)


_NotDeleted = _LeavingOut.from_queryset(AssignmentQuerySet)


class Assignment(models.Model):
    """Problems for a class to solve, perhaps between two times. Whoever has the link with the token may join."""

    title = models.CharField(max_length=200)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="assignments")
    problems = models.ManyToManyField("problems.Problem", through="AssignedProblem", related_name="+")
    students = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+", blank=True)
    opens_at = models.DateTimeField(null=True, blank=True)  # None: since ever
    closes_at = models.DateTimeField(null=True, blank=True)  # None: for ever
    explanation_level = models.CharField(  # for whoever sees its problems, while it is open
        max_length=8, choices=ExplanationLevel.choices, default=ExplanationLevel.LINE, db_default=ExplanationLevel.LINE
    )
    token = models.CharField(max_length=32, default=_new_token, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    deleted_at = models.DateTimeField(null=True, editable=False)  # None: it is not

    objects = _NotDeleted()
    with_deleted = AssignmentQuerySet.as_manager()

    def __str__(self) -> str:
        return self.title

    @property
    def is_closed(self) -> bool:
        """Return whether submissions no longer count."""
        return self.closes_at is not None and self.closes_at <= timezone.now()

    @property
    def is_opened(self) -> bool:
        """Return whether it has begun, so that its students see the problems that are for assignments."""
        return self.opens_at is None or self.opens_at <= timezone.now()

    @property
    def gone_at(self) -> datetime | None:
        """Return until when deleting it can be undone; None if it is not deleted."""
        return None if self.deleted_at is None else self.deleted_at + KEPT_FOR

    def in_order(self, problems: ProblemQuerySet) -> ProblemQuerySet:
        """Return those of the problems that it has, in the teacher's order; without one by title."""
        return problems.filter(assigned__assignment=self).by_title("assigned__position")

    def set_problems(self, problems: Sequence[Problem]) -> None:
        """Let it have these problems, in this order."""
        with transaction.atomic():
            self.assigned.exclude(problem__in=problems).delete()
            AssignedProblem.objects.bulk_create(
                (
                    AssignedProblem(assignment=self, problem=problem, position=position)
                    for position, problem in enumerate(problems, start=1)
                ),
                update_conflicts=True,
                unique_fields=["assignment", "problem"],
                update_fields=["position"],
            )

    def join(self, user: User) -> None:
        """Let somebody in, also who was removed."""
        self.students.add(user)
        self.removed.filter(student=user).delete()

    def remove(self, student_id: int) -> bool:
        """Take a student out, whom `bring_back` can let in for KEPT_FOR; return whether there was one."""
        with transaction.atomic():
            membership = self.students.through.objects.filter(assignment_id=self.pk, user_id=student_id)
            if not membership.delete()[0]:
                return False
            self.removed.update_or_create(student_id=student_id, defaults={"removed_at": Now()})
            return True

    def bring_back(self, student_id: int) -> bool:
        """Let a removed student in again; return whether that was possible."""
        removed = self.removed.returnable().filter(student=student_id).select_related("student").first()
        if removed is not None:
            self.join(removed.student)
        return removed is not None

    def replace_link(self) -> None:
        """Make a new link to join; the old one says from now on that it was replaced."""
        with transaction.atomic():
            now = Assignment.objects.select_for_update().get(pk=self.pk)
            ReplacedLink.objects.create(assignment=now, token=now.token)
            self.token = _new_token()
            self.save(update_fields=["token"])

    def submissions(self) -> SubmissionQuerySet:
        """Return what its students sent to its problems in its time, judged."""
        sent = Submission.objects.filter(
            problem__in=self.problems.all(), user__in=self.students.all(), status=Status.DONE
        )
        if self.opens_at is not None:
            sent = sent.filter(created_at__gte=self.opens_at)
        return sent if self.closes_at is None else sent.filter(created_at__lt=self.closes_at)

    def tried_and_solved(self) -> dict[int, tuple[int, int]]:
        """Return by problem how many students tried it in its time, our own failures aside, and how many solved it."""
        tries = self.submissions().exclude(verdict=Verdict.JE).order_by().values("problem_id")
        counted = tries.annotate(
            tried=models.Count("user", distinct=True),
            solved=models.Count("user", distinct=True, filter=models.Q(verdict=Verdict.AC)),
        )
        return {row["problem_id"]: (row["tried"], row["solved"]) for row in counted}


class AssignedProblem(models.Model):
    """A problem of an assignment, in its place. Equal positions are in the order of the titles."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="assigned")
    problem = models.ForeignKey("problems.Problem", on_delete=models.CASCADE, related_name="assigned")
    position = models.PositiveSmallIntegerField(default=0, db_default=0)

    class Meta:
        db_table = "judge_assignment_problems"
        unique_together = [("assignment", "problem")]

    def __str__(self) -> str:
        return f"problem {self.problem_id} of assignment {self.assignment_id}"


class ReplacedLink(models.Model):
    """The token of a link to join that a newer one replaced, so that whoever opens it learns whom to ask."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="replaced_links")
    token = models.CharField(max_length=32, unique=True)

    def __str__(self) -> str:
        return f"replaced link of assignment {self.assignment_id}"


class RemovedStudentQuerySet(models.QuerySet["RemovedStudent"]):
    """Sets of removed students."""

    def returnable(self) -> "RemovedStudentQuerySet":
        """Return those whose removal can be undone."""
        return self.filter(removed_at__gt=Now() - KEPT_FOR)

    def removed_long_ago(self) -> "RemovedStudentQuerySet":
        """Return the others."""
        return self.filter(removed_at__lte=Now() - KEPT_FOR)


class RemovedStudent(models.Model):
    """A student whom the teacher took out of an assignment, so that it can be undone."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="removed")
    student = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    removed_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = RemovedStudentQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["assignment", "student"], name="removed_once")]

    def __str__(self) -> str:
        return f"removed student {self.student_id} of assignment {self.assignment_id}"

    @property
    def gone_at(self) -> datetime:
        """Return until when the removal can be undone."""
        return self.removed_at + KEPT_FOR


def visible_problems(user: object) -> ProblemQuerySet:
    """Return the problems that this user may see."""
    return Problem.objects.visible_to(user, Assignment.objects.problems_for(user))


def sees_problem(user: object, problem: Problem, assigned: Callable[[], Collection[int]] | None = None) -> bool:
    """Return whether `visible_problems` has this problem. `assigned`: `assigned_problems`, read once for many."""
    return problem.is_visible_to(user, lambda: problem.pk in (assigned() if assigned else assigned_problems(user)))


def assigned_problems(user: object) -> frozenset[int]:
    """Return the keys of the problems that assignments show to this user."""
    return frozenset(Assignment.objects.problems_for(user))
