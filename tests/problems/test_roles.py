"""Who finds which problem: the rule for rows and the one for a problem at hand agree."""

from functools import partial
from itertools import product

import pytest
from django.contrib.auth.models import AnonymousUser, Permission, User

from problems.models import Audience, Problem, ProblemVersion
from problems.roles import is_staff, may_publish

pytestmark = pytest.mark.django_db


def _problems(owner: User) -> list[Problem]:
    """One of every kind that visibility could depend on."""
    kinds = product((None, owner), Audience, (True, False), (True, False))
    made = []
    for number, (of, audience, is_archived, is_published) in enumerate(kinds):
        problem = Problem.objects.create(slug=f"p{number}", owner=of, audience=audience, is_archived=is_archived)
        if is_published:
            problem.current_version = ProblemVersion.objects.create(
                problem=problem, digest="0" * 64, time_limit_ms=1, memory_bytes=1, output_bytes=1, code_bytes=1,
                test_case_count=1,
            )  # fmt: skip
            problem.save()
        made.append(problem)
    return made


@pytest.mark.parametrize(
    ("is_assigned", "expected"), [(False, (2, 2, 2, 13, 24)), (True, (2, 2, 4, 14, 24))], ids=["no class", "a class"]
)
def test_a_problem_is_visible_to_whom_the_rows_say(is_assigned: bool, expected: tuple[int, ...]) -> None:
    owner, student = User.objects.create_user("owner"), User.objects.create_user("student")
    staff = User.objects.create_user("staff", is_staff=True)
    problems = _problems(owner)
    numbers = []
    for user in (None, AnonymousUser(), student, owner, staff):
        is_shown = is_assigned and getattr(user, "pk", None) is not None
        keys = Problem.objects.values_list("pk", flat=True)
        found = set(Problem.objects.visible_to(user, keys if is_shown else keys.none()))
        assert found == {problem for problem in problems if problem.is_visible_to(user, partial(bool, is_shown))}, user
        numbers.append(len(found))
    assert tuple(numbers) == expected


def test_a_problem_is_managed_by_whom_the_rows_say() -> None:
    owner, student = User.objects.create_user("owner"), User.objects.create_user("student")
    staff, former = User.objects.create_user("staff", is_staff=True), User.objects.create_user("former")
    owner.user_permissions.add(Permission.objects.get(codename="add_problem"))
    problems = [*_problems(owner), Problem.objects.create(slug="of-former", owner=former)]
    numbers = {}
    for user in (None, AnonymousUser(), student, former, owner, staff):
        found = set(Problem.objects.manageable_by(user))
        assert found == {problem for problem in problems if problem.is_manageable_by(user)}, user
        numbers[str(user)] = len(found)
    assert numbers == {"None": 0, "AnonymousUser": 0, "student": 0, "former": 0, "owner": 12, "staff": 25}


def test_staff_and_instructors_may_publish() -> None:
    instructor = User.objects.create_user("instructor")
    instructor.user_permissions.add(Permission.objects.get(codename="add_problem"))
    staff, student = User.objects.create_user("staff", is_staff=True), User.objects.create_user("student")
    people = (None, AnonymousUser(), student, instructor, staff)
    assert [may_publish(user) for user in people] == [False, False, False, True, True]
    assert [is_staff(user) for user in people] == [False, False, False, False, True]
