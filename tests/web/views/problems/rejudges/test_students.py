"""What a student sees of a rejudge before it is applied, and after."""

import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from judge.grading.verdicts import Verdict
from judge.models import Rejudge, Submission
from judge.rejudging import rejudging
from judge.rejudging.selection import Filter
from problems.models import Problem, ProblemVersion
from tests.judge.rejudging.rejudged import judge_all
from tests.web.dense import dense
from tests.web.views.problems.rejudges.shown import MARK, client_of, text_of

pytestmark = pytest.mark.django_db


def _pages_of(student: User) -> dict[str, str]:
    """Every page and fragment on which a student could notice something, without what time changes in it."""
    client = client_of(student)
    submissions = Submission.objects.order_by("pk")
    pages = ["/", "/problems/", reverse("submission_list"), reverse("problem", args=["sumoftwo"])]
    pages += [reverse(name, args=[each.pk]) for name in ("submission", "submission_live") for each in submissions]
    found = {}
    for page in pages:
        html = client.get(page).content.decode()
        found[page] = re.sub(r'csrf\w*"[^>]*|nonce="[^"]*"|X-CSRFToken[^}]*', "", html)
    return found


def test_a_student_notices_nothing_until_it_is_applied(rejudge: Rejudge, student: User, instructor: User) -> None:
    untouched = _pages_of(student)
    Rejudge.objects.all().delete()
    assert _pages_of(student) == untouched
    problem = Problem.objects.get()
    again = rejudging.start(problem, Filter(), by=instructor, reason=MARK)
    judge_all(again, Verdict.TLE)
    assert _pages_of(student) == untouched
    rejudging.discard(again, by=instructor)
    assert _pages_of(student) == untouched


def test_after_applying_the_student_reads_what_was_and_why(rejudge: Rejudge, student: User, instructor: User) -> None:
    judge_all(rejudge, Verdict.AC)
    rejudging.apply(rejudge, by=instructor)
    first = Submission.objects.order_by("pk")[0]
    for name in ("submission", "submission_live"):
        text = text_of(client_of(student).get(reverse(name, args=[first.pk])).content)
        today = timezone.now().strftime("%Y-%m-%d")
        assert f"Rejudged on {today} with version 2: WA → AC" in text
        assert MARK in text
        assert "instructor" not in text


def test_a_reason_is_text_whatever_is_in_it(rejudge: Rejudge, student: User, instructor: User) -> None:
    Rejudge.objects.update(reason="<script>alert(1)</script>")
    judge_all(rejudge, Verdict.AC)
    assert b"<script>alert" not in client_of(instructor).get(reverse("rejudge", args=[rejudge.pk])).content
    rejudging.apply(rejudge, by=instructor)
    first = Submission.objects.order_by("pk")[0]
    html = client_of(student).get(reverse("submission", args=[first.pk])).content
    assert b"&lt;script&gt;alert(1)" in html
    assert b"<script>alert" not in html


def test_its_pages_belong_to_the_management_of_the_problem(
    problem: Problem, newer: ProblemVersion, instructor: User, rejudge: Rejudge
) -> None:
    pages = [reverse(name, args=[problem.slug]) for name in ("rejudge_list", "rejudge_new")]
    for page in (*pages, reverse("rejudge", args=[rejudge.pk])):
        shown = dense(client_of(instructor).get(page).content.decode())
        assert f'<p class="eyebrow"><a href="{reverse("manage", args=[problem.slug])}">' in shown
        assert re.findall('aria-current="page">([^<]+)<', shown) == ["My problems"]
