"""A rejudge of two submissions, and who may decide it."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.utils import timezone

from judge.models import Rejudge, Status, Submission
from judge.rejudging import rejudging
from judge.rejudging.selection import Filter
from problems.models import Problem, ProblemVersion
from tests.web.views.problems.rejudges.shown import MARK

SubmissionMaker = Callable[..., Submission]


@pytest.fixture
def make_judged(student: User, problem: Problem) -> SubmissionMaker:
    """A function that inserts a judged submission, which was wrong."""

    def make(**columns: object) -> Submission:
        given = {
            "user": student,
            "problem": problem,
            "problem_version": problem.current_version,
            "language": "python",
            "source": b"print(1)\n",
            "status": Status.DONE,
            "verdict": "WA",
            "attempt": 1,
            "max_cpu_time_us": 21_000,
            "finished_at": timezone.now(),
        }
        return Submission.objects.create(**{**given, **columns})

    return make


@pytest.fixture
def newer(problem: Problem, make_judged: SubmissionMaker) -> ProblemVersion:
    """Two submissions by version 1, and a version 2 that is the current one."""
    make_judged()
    make_judged(verdict="AC")
    version = ProblemVersion.objects.get(problem=problem)
    version.pk, version.number, version.digest = None, 2, "2" * 64
    version.save()
    problem.current_version = version
    problem.save()
    return version


@pytest.fixture
def rejudge(newer: ProblemVersion, problem: Problem, instructor: User) -> Rejudge:
    """A rejudge of these two."""
    return rejudging.start(problem, Filter(), by=instructor, reason=MARK)


@pytest.fixture
def owner(problem: Problem) -> User:
    """Somebody who may publish, is no staff, and owns the problem."""
    group = Group.objects.create(name="publishers")
    group.permissions.add(Permission.objects.get(codename="add_problem"))
    user = User.objects.create_user("owner")
    user.groups.add(group)
    problem.owner = user
    problem.save()
    return user
