"""Lists in pages: every row is reached, on and back, and what is shown on one page costs no query per row."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from judge.models import Assignment, Rejudge, Status, Submission
from judge.submissions.comparisons import share
from problems.models import Problem
from web.presentation.paging import Paging, name_key
from web.views import assignments
from web.views.problems import rejudges
from web.views.submissions import comparison

pytestmark = pytest.mark.django_db

TWO = Paging(size=2)
BY_NAME = Paging(size=2, column="username", read=name_key, is_descending=False)


@pytest.fixture
def as_instructor(instructor: User) -> Client:
    """The instructor's browser."""
    client = Client()
    client.force_login(instructor)
    return client


@pytest.fixture
def five(instructor: User) -> list[Assignment]:
    """Five assignments, the newest first."""
    return [Assignment.objects.create(title=f"Sheet {number}", owner=instructor) for number in range(5)][::-1]


def _follow(client: Client, address: str, section: str = "") -> Iterator[str]:
    """The section of that id, or the whole page, and those that follow by its links."""
    link: str | None = ""
    while link is not None:
        answer = client.get(address + link)
        assert answer.status_code == 200
        shown = _section(answer.content.decode(), section)
        yield shown
        found = re.search(r'rel="next" href="(\?[^"#]*)', shown)
        link = found[1].replace("&amp;", "&") if found else None


def _section(page: str, section: str) -> str:
    return page.partition(f'id="{section}"')[2].partition("</section>")[0] if section else page


def _titles(page: str, section: str = "") -> list[str]:
    return re.findall(r"Sheet \d+", _section(page, section))


def test_pages_lead_on_to_the_last_row_and_back_to_the_first(five: list[Assignment]) -> None:
    rows = Assignment.objects.all()
    first = TWO.page(rows, {})
    assert (first.rows, first.back) == (five[:2], "")
    second = TWO.page(rows, {"before": str(five[1].pk)})
    assert second.rows == five[2:4]
    last = TWO.page(rows, {"before": str(five[3].pk)})
    assert (last.rows, last.on) == (five[4:], "")
    assert last.back == f"after={five[4].pk}"
    back = TWO.page(rows, {"after": str(five[4].pk)}, keys=rows.only("pk"))
    assert (back.rows, back.on) == (five[2:4], f"before={five[3].pk}")
    assert TWO.page(rows, {"after": str(five[2].pk)}).back == ""


@pytest.mark.parametrize("key", ["x", "-1", "9" * 40, "\u0663", "\0", "1"])
def test_a_key_with_nothing_beyond_it_shows_the_first_page(five: list[Assignment], key: str) -> None:
    page = TWO.page(Assignment.objects.all(), {"before": key})
    assert (page.rows, page.back) == (five[:2], "")


def test_names_go_up_and_a_name_that_is_gone_is_still_a_place() -> None:
    made = [User.objects.create_user(name) for name in ("ada", "bob", "c@d.e+f", "eve", "zoe")]
    first = BY_NAME.page(User.objects.all(), {})
    assert (first.rows, first.on) == (made[:2], "after=bob")
    assert BY_NAME.page(User.objects.all(), {"after": "bobby"}).rows == made[2:4]
    back = BY_NAME.page(User.objects.all(), {"before": "eve"})
    assert (back.rows, back.back, back.on) == (made[1:3], "before=bob", "after=c%40d.e%2Bf")
    assert BY_NAME.page(User.objects.all(), {"after": "a\0b"}).rows == made[:2]


def test_every_assignment_is_reached_and_each_list_keeps_its_place(
    as_instructor: Client, instructor: User, five: list[Assignment], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assignments, "MANAGED", TWO)
    monkeypatch.setattr(assignments, "JOINED", replace(TWO, prefix="joined_"))
    for one in five:
        one.students.add(instructor)
    address, wanted = reverse("assignment_list"), [one.title for one in five]
    for section in ("managed", "joined"):
        shown = list(_follow(as_instructor, address, section))
        assert [title for each in shown for title in _titles(each)] == wanted
    both = as_instructor.get(f"{address}?before={five[1].pk}&joined_before={five[3].pk}").content.decode()
    assert [_titles(both, "managed"), _titles(both, "joined")] == [wanted[2:4], wanted[4:]]
    assert f"?before={five[1].pk}&amp;joined_after={five[4].pk}#joined" in both


def test_every_student_of_a_class_is_reached_and_removed_where_one_stands(
    as_instructor: Client, five: list[Assignment], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assignments, "STUDENTS", BY_NAME)
    names = [f"student-{number}" for number in range(5)]
    five[0].students.set(User.objects.create_user(name) for name in names)
    address = reverse("assignment", args=[five[0].pk])
    pages = list(_follow(as_instructor, address))
    assert [name for page in pages for name in re.findall(r"<span>(student-\d)</span>", page)] == names
    assert all("5 joined" in page for page in pages)
    form = re.search(r'action="([^"]*\?after=[^"]*)"', pages[2])
    assert form
    last = five[0].students.get(username=names[4])
    answer = as_instructor.post(form[1], {"change": f"remove-{last.pk}"}, follow=True)
    assert "Student removed" in answer.content.decode()
    assert five[0].students.count() == 4
    answer = as_instructor.post(f"{reverse('change_assignment', args=[five[0].pk])}?after=student-1", {"change": ""})
    assert answer["Location"] == f"{address}?after=student-1"


def test_every_rejudge_is_reached(
    as_instructor: Client, instructor: User, problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rejudges, "PAGING", TWO)
    assert problem.current_version
    for number in range(5):
        Rejudge.objects.create(
            problem=problem, version=problem.current_version, made_by=instructor, reason=f"reason {number}"
        )
    pages = list(_follow(as_instructor, reverse("rejudge_list", args=[problem.slug])))
    told = [reason for page in pages for reason in re.findall(r"reason \d", page)]
    assert told == [f"reason {number}" for number in range(4, -1, -1)]


@pytest.fixture
def sent(instructor: User, problem: Problem) -> list[Submission]:
    """Submissions of the instructor's to one problem."""
    assert problem.current_version
    return [
        Submission.objects.create(
            user=instructor,
            problem=problem,
            problem_version=problem.current_version,
            language="cpp",
            source=b"",
            status=Status.DONE,
            verdict="AC",
        )
        for _ in range(6)
    ]


def test_shared_comparisons_cost_the_same_queries_however_many_and_all_are_reached(
    as_instructor: Client,
    instructor: User,
    sent: list[Submission],
    monkeypatch: pytest.MonkeyPatch,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    address = reverse("shared_comparisons")
    shared = [share(instructor, sent[:2], shows_names=False)]
    with django_assert_num_queries(6):  # session, reader, preferences; links, sides, submissions
        assert as_instructor.get(address).status_code == 200
    shared += [share(instructor, [sent[0], other, sent[1]], shows_names=True) for other in sent[2:]]
    with django_assert_num_queries(6):
        page = as_instructor.get(address).content.decode()
    assert all(reverse("shared_comparison", args=[each.token]) in page for each in shared)
    assert f"{sent[0].pk}, {sent[5].pk}, {sent[1].pk}</a>" in page
    monkeypatch.setattr(comparison, "PAGING", TWO)
    pages = list(_follow(as_instructor, address))
    found = [re.findall(r'href="/compare/shared/([^"/]+)/"', page) for page in pages]
    assert found == [[each.token for each in part] for part in (shared[:2:-1], shared[2:0:-1], shared[:1])]
