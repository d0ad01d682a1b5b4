"""Comparisons by link: who may read them, how little they say of people and hidden cases, and taking them back."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from judge.models import SharedComparison, Submission, TestCaseResult
from problems.models import CaseVisibility, Problem

pytestmark = pytest.mark.django_db

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]


@pytest.fixture
def pair(student: User, make_submission: SubmissionMaker, make_result: ResultMaker) -> list[Submission]:
    """Two submissions of somebody with a telling name, with a sample and a hidden case."""
    User.objects.filter(pk=student.pk).update(username="zebedee")
    made = [make_submission(source=f"// variant {number}\n".encode()) for number in (1, 2)]
    for submission in made:
        make_result(submission, name="sample/1", is_sample=True, write_calls=1_111_111)
        make_result(submission, name="secret/1", write_calls=1_234_567)
    return made


def _share(client: Client, sides: list[Submission], **more: str) -> str:
    """The address of the link."""
    answer = client.post(reverse("share_comparison"), {"s": [side.pk for side in sides], **more})
    assert answer.status_code == 302
    return str(answer["Location"])


def _read(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_everybody_who_is_signed_in_reads_it_and_nobody_else(
    as_student: Client, as_other: Client, client: Client, pair: list[Submission]
) -> None:
    address = _share(as_student, pair)
    page = _read(as_other, address)
    assert "variant 1" in page.replace('<mark class="diff-word">1</mark>', "1")
    assert "This comparison is shared with the class" in page
    assert "no-store" in as_other.get(address)["Cache-Control"]
    assert client.get(address)["Location"].startswith(reverse("login"))


def test_no_name_and_no_number_is_on_it_unless_the_owner_wants_names(
    as_student: Client, as_other: Client, pair: list[Submission]
) -> None:
    page = _read(as_other, _share(as_student, pair))
    assert "zebedee" not in page
    assert "Submission A" in page
    for side in pair:
        assert reverse("submission", args=[side.pk]) not in page
        assert f"s={side.pk}" not in page
    assert _read(as_other, _share(as_student, pair, shows_names="on")).count("by zebedee") == 2


def test_hidden_numbers_are_as_a_student_sees_them_even_for_staff_who_shared(
    as_staff: Client, as_other: Client, pair: list[Submission]
) -> None:
    address = _share(as_staff, pair)
    for client in (as_staff, as_other):
        page = _read(client, address)
        assert "1,111,111" in page
        assert "1,234,567" not in page
        assert "zebedee" not in page


@pytest.mark.parametrize("visibility", [CaseVisibility.VERDICTS, CaseVisibility.TOTALS])
def test_of_restricted_problems_only_samples_are_compared(
    as_staff: Client, pair: list[Submission], visibility: CaseVisibility
) -> None:
    address = _share(as_staff, pair)
    Problem.objects.update(case_visibility=visibility)
    assert "secret/" not in _read(as_staff, address)


@pytest.mark.parametrize("closed", [{"audience": "hidden"}, {"is_archived": True}])
def test_of_a_problem_that_is_not_to_be_seen_nothing_is_read(
    as_student: Client, as_other: Client, as_staff: Client, pair: list[Submission], closed: dict[str, object]
) -> None:
    address = _share(as_student, pair)
    Problem.objects.update(**closed)
    assert as_other.get(address).status_code == as_student.get(address).status_code == 404
    assert as_staff.get(address).status_code == 200
    assert "Students cannot read it now" in _read(as_student, reverse("shared_comparisons"))


def test_a_link_that_was_taken_back_leads_nowhere(as_student: Client, as_other: Client, pair: list[Submission]) -> None:
    address = _share(as_student, pair)
    token = SharedComparison.objects.get().token
    assert as_other.post(reverse("revoke_shared", args=[token])).status_code == 404
    assert as_other.get(address).status_code == 200
    assert address in _read(as_student, reverse("shared_comparisons"))
    answer = as_student.post(reverse("revoke_shared", args=[token]), follow=True)
    assert "Link revoked" in answer.content.decode()
    assert address not in _read(as_student, reverse("shared_comparisons"))
    assert as_other.get(address).status_code == as_student.get(address).status_code == 404
    assert as_student.post(reverse("revoke_shared", args=[token])).status_code == 404


def test_links_of_others_are_not_listed(as_student: Client, as_other: Client, pair: list[Submission]) -> None:
    address = _share(as_student, pair)
    assert address not in _read(as_other, reverse("shared_comparisons"))


def test_only_what_one_may_read_can_be_shared(
    as_other: Client, client: Client, other_student: User, pair: list[Submission], make_submission: SubmissionMaker
) -> None:
    own = make_submission(user=other_student)
    for sides in (pair, [own, pair[0]], [own]):
        for asking in (as_other, client):
            answer = asking.post(reverse("share_comparison"), {"s": [side.pk for side in sides]})
            assert answer.status_code == 404
    assert not SharedComparison.objects.exists()


def test_a_link_dies_when_its_owner_may_no_longer_read_the_submissions(
    as_staff: Client, as_other: Client, instructor: User, pair: list[Submission]
) -> None:
    address = _share(as_staff, pair)
    User.objects.filter(pk=instructor.pk).update(is_staff=False)
    assert as_other.get(address).status_code == 404
    assert "No one can read it now" in _read(as_staff, reverse("shared_comparisons"))


def test_changing_links_needs_a_post_with_the_token(student: User, pair: list[Submission]) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(student)
    sides = {"s": [side.pk for side in pair]}
    assert strict.post(reverse("share_comparison"), sides).status_code == 403
    assert strict.get(reverse("share_comparison"), sides).status_code == 302
    assert not SharedComparison.objects.exists()


def test_the_order_is_that_of_the_comparison(as_student: Client, as_other: Client, pair: list[Submission]) -> None:
    Submission.objects.filter(pk=pair[0].pk).update(verdict="WA")
    told = "From accepted (A) to wrong answer (B)."
    assert told in _read(as_other, _share(as_student, pair, first=str(pair[1].pk)))
    assert told not in _read(as_other, _share(as_student, pair))
