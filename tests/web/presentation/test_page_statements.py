"""How many SQL statements each of the commonest pages takes: as many with few rows as with many."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judge.grading.verdicts import Verdict
from judge.models import Assignment, Submission, WorkerNode
from problems.models import Difficulty, Problem, ProblemVersion
from tests.web.conftest import ResultMaker, SubmissionMaker

pytestmark = pytest.mark.django_db
MostOf = dict[str, int]
STATEMENTS: MostOf = {  # of which three are the session, the user, and their preferences with their permissions
    "home": 6,
    "problem list": 8,
    "problem": 7,
    "statistics": 9,
    "result": 9,
    "submissions": 6,
    "comparison": 8,
    "class view": 8,
    "progress": 5,
    "assignments": 5,
    "account": 5,
}
FOR_NOBODY: MostOf = {"home": 2, "problem list": 3, "problem": 3}


@pytest.fixture
def fill(
    student: User,
    instructor: User,
    problem: Problem,
    worker: WorkerNode,
    make_submission: SubmissionMaker,
    make_result: ResultMaker,
) -> Callable[[int], dict[str, str]]:
    """A function that adds so many rows of each kind, and returns the address of each page."""
    assignment = Assignment.objects.create(title="Week 1", owner=instructor)
    assignment.problems.add(problem)
    Problem.objects.update(difficulty=Difficulty.FIRST, tags=["sums"])

    def add(number: int) -> dict[str, str]:
        for place in range(number):
            user = User.objects.create_user(f"person-{Submission.objects.count()}")
            assignment.students.add(student, user)
            _add_problem(f"other-{Problem.objects.count()}", problem)
            for author in (user, student):
                made = make_submission(user=author, verdict=(Verdict.AC, Verdict.TLE)[place % 2], cause="algorithm")
                for _ in range(number):
                    make_result(made)
        own = Submission.objects.filter(user=student).order_by("-pk").values_list("pk", flat=True)
        return {
            "home": reverse("home"),
            "problem list": reverse("problem_list"),
            "problem": reverse("problem", args=[problem.slug]),
            "statistics": reverse("problem_statistics", args=[problem.slug]),
            "result": reverse("submission", args=[own[0]]),
            "submissions": reverse("submission_list"),
            "comparison": f"{reverse('compare')}?s={own[0]}&s={own[1]}",
            "class view": reverse("assignment_class", args=[assignment.pk]),
            "progress": reverse("progress"),
            "assignments": reverse("assignment_list"),
            "account": reverse("account"),
        }

    return add


def _add_problem(slug: str, like: Problem) -> None:
    version = ProblemVersion.objects.get(problem=like)
    made = Problem.objects.create(slug=slug, title=slug, difficulty=Difficulty.EASY)
    version.pk, version.problem = None, made
    version.save()
    Problem.objects.filter(pk=made.pk).update(current_version=version)


def _told(found: dict[str, list[str]]) -> str:
    return "\n".join(f"{page}: {asked}" for page, statements in found.items() for asked in statements)


def _counted(client: Client, address: str) -> list[str]:
    client.get(address)  # what a process finds out once is known then
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return [query["sql"] for query in captured.captured_queries]


def test_signed_in_pages_take_as_many_statements_as_the_table_says(
    fill: Callable[[int], dict[str, str]], as_student: Client, as_staff: Client
) -> None:
    for number in (2, 4):
        pages = fill(number)
        found = {page: _counted(as_staff if page == "class view" else as_student, pages[page]) for page in STATEMENTS}
        assert {page: len(asked) for page, asked in found.items()} == STATEMENTS, _told(found)


def test_pages_for_nobody_take_as_many_statements_as_the_table_says(fill: Callable[[int], dict[str, str]]) -> None:
    pages = fill(2)
    found = {page: _counted(Client(), pages[page]) for page in FOR_NOBODY}
    assert {page: len(asked) for page, asked in found.items()} == FOR_NOBODY, _told(found)
