"""Who may see, start and decide rejudges of a problem, and what is chosen."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group, User
from django.urls import reverse
from django.utils import timezone

from judge.grading.verdicts import Verdict
from judge.models import Rejudge, Submission
from judge.rejudging import rejudging
from judge.rejudging.selection import Filter
from problems.models import Problem, ProblemVersion
from tests.judge.rejudging.rejudged import judge_all
from tests.web.views.problems.rejudges.shown import client_of, text_of

pytestmark = pytest.mark.django_db
SubmissionMaker = Callable[..., Submission]
GET_PAGES = ("rejudge", "rejudge_live", "rejudge_events")
POST_PAGES = ("rejudge_apply", "rejudge_discard", "rejudge_try_again")


def test_only_who_manages_the_problem_finds_its_rejudges(
    rejudge: Rejudge, problem: Problem, owner: User, instructor: User, student: User, other_student: User
) -> None:
    judge_all(rejudge, Verdict.AC)
    another = User.objects.create_user("another")  # may publish too, but does not own this problem
    another.groups.add(Group.objects.get(name="publishers"))
    row = rejudge.submissions.all()[0]
    pages = [reverse(name, args=[rejudge.pk]) for name in GET_PAGES]
    pages += [reverse(name, args=[problem.slug]) for name in ("rejudge_list", "rejudge_new")]
    pages += [reverse("rejudge_result", args=[rejudge.pk, row.pk])]
    for page in pages:
        for stranger in (student, other_student, another):
            assert client_of(stranger).get(page).status_code == 404, page
        for manager in (owner, instructor):
            assert client_of(manager).get(page).status_code == 200, page
        assert client_of(None).get(page).status_code in {302, 404}, page
    for name in POST_PAGES:
        page = reverse(name, args=[rejudge.pk])
        assert client_of(student).post(page).status_code == 404
        assert client_of(another).post(page).status_code == 404
        assert client_of(None).post(page).status_code == 302
        assert client_of(instructor).get(page)["Location"] == reverse("rejudge", args=[rejudge.pk])
    assert client_of(student).post(reverse("rejudge_new", args=[problem.slug]), {"reason": "x"}).status_code == 404
    assert Rejudge.objects.get().is_open


def test_an_owner_who_is_no_staff_can_do_all_of_it(newer: ProblemVersion, problem: Problem, owner: User) -> None:
    client = client_of(owner)
    client.post(reverse("rejudge_new", args=[problem.slug]) + "?asked=on", {"reason": "Why not"})
    rejudge = Rejudge.objects.get()
    judge_all(rejudge, Verdict.AC)
    client.post(reverse("rejudge_apply", args=[rejudge.pk]))
    rejudge.refresh_from_db()
    assert rejudge.applied_by == owner


def test_the_result_of_another_rejudge_is_not_found(
    rejudge: Rejudge, problem: Problem, instructor: User, make_judged: SubmissionMaker
) -> None:
    other = rejudging.start(problem, Filter(), by=instructor, reason="other")
    judge_all(other, Verdict.AC)
    row = other.submissions.all()[0]
    client = client_of(instructor)
    assert client.get(reverse("rejudge_result", args=[rejudge.pk, row.pk])).status_code == 404
    assert client.get(reverse("rejudge_result", args=[other.pk, row.pk])).status_code == 200


def test_older_ones_are_chosen_at_first_and_counted(newer: ProblemVersion, problem: Problem, instructor: User) -> None:
    answer = client_of(instructor).get(reverse("rejudge_new", args=[problem.slug]))
    text = text_of(answer.content)
    assert "Version 2, the current one, judges them again" in text
    assert "2 submissions · 1 student" in text
    assert "Rejudge 2 submissions" in text
    assert answer.context["form"]["older"].value() is True


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("verdict=WA", 1),
        ("verdict=WA&verdict=AC", 2),
        ("language=python", 2),
        ("users=student", 2),
        ("users=student,%20other", 2),
        ("users=other", 0),
        ("since=2020-01-01&until=2020-01-31", 0),
        ("since=2020-01-01", 2),
        ("ids=1-999999999", None),
        ("users=nobody%20here", None),
        ("since=yesterday", None),
        ("ids=x", None),
        ("verdict=RE", None),
    ],
)
def test_each_filter_counts(
    newer: ProblemVersion, problem: Problem, instructor: User, other_student: User, query: str, number: int | None
) -> None:
    answer = client_of(instructor).get(f"{reverse('rejudge_new', args=[problem.slug])}?asked=on&{query}")
    chosen = answer.context["chosen"]
    assert (chosen.total if chosen else None) == number
    assert (b">Rejudge " in answer.content.split(b'id="chosen"')[1]) == bool(number)
    assert (b'role="alert"' in answer.content) == (number is None)


def test_today_is_within_until_today(newer: ProblemVersion, problem: Problem, instructor: User) -> None:
    today = timezone.now().date().isoformat()
    page = reverse("rejudge_new", args=[problem.slug])
    answer = client_of(instructor).get(f"{page}?asked=on&since={today}&until={today}")
    assert answer.context["chosen"].total == 2


def test_numbers_and_ranges_choose_single_submissions(
    newer: ProblemVersion, problem: Problem, instructor: User
) -> None:
    first, second = Submission.objects.order_by("pk")
    page = reverse("rejudge_new", args=[problem.slug])
    for ids, number in ((f"{first.pk}", 1), (f"{first.pk}-{second.pk}", 2), (f"{first.pk}, {second.pk}", 2)):
        answer = client_of(instructor).get(page, {"asked": "on", "ids": ids})
        assert answer.context["chosen"].total == number


def test_starting_takes_what_was_counted_and_needs_a_reason(
    newer: ProblemVersion, problem: Problem, instructor: User
) -> None:
    client = client_of(instructor)
    page = reverse("rejudge_new", args=[problem.slug]) + "?asked=on&verdict=WA"
    assert client.post(page, {"reason": " "}).status_code == 422
    assert not Rejudge.objects.exists()
    answer = client.post(page, {"reason": "Case 7 was wrong"})
    rejudge = Rejudge.objects.get()
    assert answer["Location"] == reverse("rejudge", args=[rejudge.pk])
    assert (rejudge.reason, rejudge.made_by, rejudge.version) == ("Case 7 was wrong", instructor, newer)
    assert [row.old_verdict for row in rejudge.submissions.all()] == ["WA"]
