"""Who sees a problem: the rule of `problems.models`, with what the assignments show to a person."""

from collections.abc import Callable, Collection

from judge.models.assignments import Assignment
from problems.models import Problem, ProblemQuerySet


def visible_problems(user: object) -> ProblemQuerySet:
    """Return the problems that this user may see."""
    return Problem.objects.visible_to(user, Assignment.objects.problems_for(user))


def sees_problem(user: object, problem: Problem, assigned: Callable[[], Collection[int]] | None = None) -> bool:
    """Return whether `visible_problems` has this problem; asks the database only for one that is for assignments.

    `assigned`: what answers `assigned_problems`, of whoever asks for many problems.
    """
    return problem.is_visible_to(user, lambda: problem.pk in (assigned() if assigned else assigned_problems(user)))


def assigned_problems(user: object) -> frozenset[int]:
    """Return the keys of the problems that assignments show to this user."""
    return frozenset(Assignment.objects.problems_for(user))
