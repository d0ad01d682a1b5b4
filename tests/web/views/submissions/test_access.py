"""Nobody reads what belongs to others: every address of a submission answers 404."""

import asyncio
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from bench.load.asgi import Exchange
from judge.models import CaseRerun, Status, Submission, TestCaseResult
from problems.models import Problem
from web.asgi import application

pytestmark = pytest.mark.django_db

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]


@pytest.fixture
def theirs(make_submission: SubmissionMaker, make_result: ResultMaker) -> Submission:
    """The student's submission with one case."""
    submission = make_submission(source=b"int secret_of_the_student;\n")
    make_result(submission)
    return submission


@pytest.mark.parametrize("name", ["submission", "submission_live", "submission_events"])
def test_another_student_gets_404(as_other: Client, theirs: Submission, name: str) -> None:
    assert as_other.get(reverse(name, args=[theirs.pk])).status_code == 404


@pytest.mark.parametrize("name", ["submission_live", "submission_events"])
def test_nobody_gets_404_for_parts_of_a_page(client: Client, theirs: Submission, name: str) -> None:
    assert client.get(reverse(name, args=[theirs.pk])).status_code == 404


@pytest.mark.parametrize("name", ["submission_list", "compare"])
def test_nobody_is_sent_to_sign_in(client: Client, name: str) -> None:
    response = client.get(reverse(name))
    assert response.status_code == 302
    assert response["Location"].startswith(reverse("login"))


def test_nobody_is_sent_to_sign_in_before_anything_is_looked_up(client: Client, theirs: Submission) -> None:
    there, not_there = (client.get(reverse("submission", args=[pk])) for pk in (theirs.pk, theirs.pk + 1))
    assert there.status_code == not_there.status_code == 302


def test_another_student_cannot_ask_for_a_profile(as_other: Client, theirs: Submission) -> None:
    assert as_other.post(reverse("examine_case", args=[theirs.pk, 0, "profile"])).status_code == 404
    assert not CaseRerun.objects.exists()


def test_a_profile_is_not_asked_for_with_get(as_student: Client, theirs: Submission) -> None:
    answer = as_student.get(reverse("examine_case", args=[theirs.pk, 0, "profile"]))
    assert answer["Location"] == reverse("submission", args=[theirs.pk])
    assert not CaseRerun.objects.exists()


def test_asking_for_a_profile_needs_the_token(student: User, theirs: Submission) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(student)
    assert client.post(reverse("examine_case", args=[theirs.pk, 0, "profile"])).status_code == 403
    assert not CaseRerun.objects.exists()


@pytest.mark.parametrize("query", ["?a={theirs}", "?b={theirs}", "?a={theirs}&b={mine}", "?a={mine}&b={theirs}"])
def test_comparing_with_a_strangers_submission_is_404(
    as_other: Client, other_student: User, theirs: Submission, make_submission: SubmissionMaker, query: str
) -> None:
    mine = make_submission(user=other_student)
    address = reverse("compare") + query.format(mine=mine.pk, theirs=theirs.pk)
    assert as_other.get(address).status_code == 404


def test_the_list_holds_only_ones_own(as_other: Client, theirs: Submission) -> None:
    page = as_other.get(reverse("submission_list")).content.decode()
    assert reverse("submission", args=[theirs.pk]) not in page


def test_the_owner_and_staff_read_it(as_student: Client, as_staff: Client, theirs: Submission) -> None:
    for client in (as_student, as_staff):
        response = client.get(reverse("submission", args=[theirs.pk]))
        assert response.status_code == 200
        assert b"secret_of_the_student" in response.content
        assert "no-store" in response["Cache-Control"]


@pytest.mark.django_db(transaction=True)
def test_the_owner_may_open_the_stream_and_others_may_not(
    as_student: Client, as_other: Client, make_submission: SubmissionMaker
) -> None:
    address = reverse("submission_events", args=[make_submission(status=Status.DONE).pk])

    def status_for(client: Client) -> int:
        exchange = Exchange(address, headers=[(b"cookie", f"sessionid={client.cookies['sessionid'].value}".encode())])
        asyncio.run(exchange.go_through(application))
        return exchange.status

    assert status_for(as_student) == 200
    assert status_for(as_other) == 404


@pytest.mark.parametrize("closed", [{"audience": "hidden"}, {"is_archived": True}])
def test_a_problem_that_is_not_to_be_seen_is_named_and_not_linked(
    as_student: Client,
    as_staff: Client,
    student: User,
    theirs: Submission,
    make_submission: SubmissionMaker,
    closed: dict[str, object],
) -> None:
    other = make_submission()
    link = f'href="{reverse("problem", args=[theirs.problem.slug])}"'
    pages = [reverse("submission", args=[theirs.pk]), reverse("submission_live", args=[theirs.pk])]
    pages += [reverse("submission_list"), f"{reverse('compare')}?a={theirs.pk}&b={other.pk}"]

    def links(client: Client, page: str) -> bool:
        shown = client.get(page).content.decode()
        assert theirs.problem.title in shown
        return link in shown

    assert all(links(as_student, page) for page in pages)
    Problem.objects.update(**closed)
    for page in pages:
        assert not links(as_student, page), page
        assert links(as_staff, page), page
    Problem.objects.update(owner=student)
    assert all(links(as_student, page) for page in pages)


def test_a_variant_is_not_asked_for_where_none_can_be_sent_in(as_student: Client, theirs: Submission) -> None:
    page = f"{reverse('compare')}?a={theirs.pk}"
    assert "Submit a variant" in as_student.get(page).content.decode()
    Problem.objects.update(is_archived=True)
    assert "Submit a variant" not in as_student.get(page).content.decode()
