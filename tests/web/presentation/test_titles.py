"""A problem's title is in the reader's language on every page that names the problem, not only in lists."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation

from problems.models import Problem, ProblemVersion
from tests.web.conftest import SubmissionMaker

pytestmark = pytest.mark.django_db
ENGLISH, KOREAN = "Sum of Two Numbers", "두 수의 합"


@pytest.fixture
def problem(problem: Problem) -> Problem:
    """The problem with a statement in Korean too."""
    titles = [{"language": "ko-KR", "title": KOREAN, "html": "<p>더하세요.</p>"}]
    ProblemVersion.objects.filter(problem=problem).update(translations=titles)
    return Problem.objects.get(pk=problem.pk)


@pytest.mark.parametrize(
    "page",
    [
        "/problems/{slug}/statistics/",
        "/problems/{slug}/manage/",
        "/problems/{slug}/class/",
        "/problems/{slug}/rejudges/",
        "/problems/mine/",
        "/submissions/",
        "/submissions/{submission}/",
        "/assignments/new/",
    ],
)
def test_a_page_names_the_problem_in_the_language_of_its_reader(
    client: Client, instructor: User, problem: Problem, make_submission: SubmissionMaker, page: str
) -> None:
    sent = make_submission(user=instructor)
    Problem.objects.update(owner=instructor)
    client.force_login(instructor)
    address = page.format(slug=problem.slug, submission=sent.pk)
    for language, title, other in (("ko", KOREAN, ENGLISH), ("en", ENGLISH, KOREAN)):
        body = client.get(address, headers={"Accept-Language": language}).content.decode()
        assert title in body
        assert other not in body


def test_without_a_title_in_the_language_it_is_the_problems_own(problem: Problem) -> None:
    with translation.override("sv"):
        assert problem.shown_title == ENGLISH
    assert Problem(title="No version yet").shown_title == "No version yet"
