"""The list of submissions: filters and pages."""

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from judge.grading.verdicts import Verdict
from judge.models import Status, Submission
from judge.submissions.comparisons import MOST_SIDES
from problems.models import Problem
from web.forms.filters import PAGE_SIZE

pytestmark = pytest.mark.django_db

SubmissionMaker = Callable[..., Submission]


def _page(client: Client, query: str = "") -> str:
    response = client.get(reverse("submission_list") + query)
    assert response.status_code == 200
    return response.content.decode()


def _ids(page: str) -> list[int]:
    return [int(found) for found in re.findall(r'name="s" value="(\d+)"', page)]


def test_the_newest_comes_first(as_student: Client, make_submission: SubmissionMaker) -> None:
    made = [make_submission().pk for _ in range(3)]
    assert _ids(_page(as_student)) == made[::-1]


def test_page_has_a_sentence_for_every_number_of_chosen_submissions(
    as_student: Client, make_submission: SubmissionMaker
) -> None:
    make_submission()
    told = dict(re.findall(r'data-say-(\d)="([^"]*)"', _page(as_student)))
    assert list(told) == [str(number) for number in range(2, MOST_SIDES + 1)]
    assert (told["2"], told["6"]) == ("2 chosen.", "6 chosen, as many as go side by side.")


def test_an_empty_list_leads_to_the_problems(as_student: Client) -> None:
    page = _page(as_student)
    assert "No submissions yet." in page
    assert 'class="filters"' not in page  # nothing to narrow down


def test_filters_that_find_nothing_stay(as_student: Client) -> None:
    page = _page(as_student, "?verdict=AC")
    assert "No submissions match this filter." in page
    assert 'class="filters"' in page


def test_filters_narrow_alone_and_together(
    as_student: Client, make_submission: SubmissionMaker, other_problem: Problem
) -> None:
    plain = make_submission().pk
    rust = make_submission(language="rust").pk
    wrong = make_submission(verdict=Verdict.WA).pk
    queued = make_submission(status=Status.QUEUED).pk
    elsewhere = make_submission(problem=other_problem, language="rust").pk
    assert _ids(_page(as_student, "?language=rust")) == [elsewhere, rust]
    assert _ids(_page(as_student, "?verdict=WA")) == [wrong]
    assert _ids(_page(as_student, "?status=queued")) == [queued]
    assert _ids(_page(as_student, f"?problem={other_problem.slug}")) == [elsewhere]
    assert _ids(_page(as_student, f"?problem={other_problem.slug}&language=rust&verdict=AC")) == [elsewhere]
    assert _ids(_page(as_student, f"?problem={other_problem.slug}&language=cpp")) == []
    assert _ids(_page(as_student, "?language=&verdict=&status=&problem=")) == [
        elsewhere,
        queued,
        wrong,
        rust,
        plain,
    ]


def test_a_filter_that_fits_nothing_says_so(as_student: Client, make_submission: SubmissionMaker) -> None:
    make_submission()
    assert "No submissions match this filter." in _page(as_student, "?verdict=JE")


@pytest.mark.parametrize("query", ["?verdict=XX", "?language=%3Cscript%3E", "?problem=nope", "?status=%20"])
def test_a_value_that_is_not_offered_is_named_and_not_obeyed(
    as_student: Client, make_submission: SubmissionMaker, query: str
) -> None:
    pk = make_submission().pk
    page = _page(as_student, query)
    assert 'class="errorlist"' in page
    assert "<script>" not in page
    assert _ids(page) == [pk]


def test_students_have_no_user_filter(
    as_student: Client, make_submission: SubmissionMaker, other_student: User
) -> None:
    mine = make_submission().pk
    make_submission(user=other_student)
    page = _page(as_student, f"?user={other_student.username}")
    assert 'name="user"' not in page
    assert _ids(page) == [mine]


def test_staff_see_everybodys_and_filter_by_user(
    as_staff: Client, make_submission: SubmissionMaker, other_student: User
) -> None:
    first, second = make_submission().pk, make_submission(user=other_student).pk
    assert _ids(_page(as_staff)) == [second, first]
    assert _ids(_page(as_staff, f"?user={other_student.username.upper()}")) == [second]


def test_pages_go_to_the_end_and_back_and_keep_the_filter(as_student: Client, make_submission: SubmissionMaker) -> None:
    made = [make_submission(language="rust").pk for _ in range(2 * PAGE_SIZE + 3)][::-1]
    make_submission(language="cpp")
    seen, query, pages = [], "?language=rust", []
    while query:
        page = _page(as_student, query)
        pages.append(page)
        seen += _ids(page)
        query = _link(page, "next")
    assert seen == made
    assert len(pages) == 3
    assert not _link(pages[0], "prev")
    back = _page(as_student, _link(pages[2], "prev"))
    assert _ids(back) == made[PAGE_SIZE : 2 * PAGE_SIZE]
    assert _ids(_page(as_student, _link(back, "prev"))) == made[:PAGE_SIZE]


def _link(page: str, rel: str) -> str:
    found = re.search(rf'rel="{rel}" href="([^"]+)"', page)
    return found[1].replace("&amp;", "&") if found else ""


def test_exactly_one_full_page_has_no_older_one(as_student: Client, make_submission: SubmissionMaker) -> None:
    for _ in range(PAGE_SIZE):
        make_submission()
    page = _page(as_student)
    assert len(_ids(page)) == PAGE_SIZE
    assert not _link(page, "next")


@pytest.mark.parametrize("key", ["x", "-1", "9" * 40, "\u0663"])
def test_a_page_key_that_is_no_number_shows_the_first_page(
    as_student: Client, make_submission: SubmissionMaker, key: str
) -> None:
    pk = make_submission().pk
    assert _ids(_page(as_student, f"?before={key}")) == [pk]


def test_the_list_costs_the_same_number_of_queries_however_long_it_is(
    as_student: Client,
    make_submission: SubmissionMaker,
    django_assert_max_num_queries: Callable[[int], object],
) -> None:
    for _ in range(PAGE_SIZE):
        make_submission()
    with django_assert_max_num_queries(9):  # type: ignore[attr-defined]
        _page(as_student)
