"""Points on the pages: the result by group, live and done, the lists, the comparison."""

import re
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from judge.grading.events import GroupJudged
from judge.grading.verdicts import Verdict
from judge.models import Status, Submission, TestCaseResult, WorkerNode
from problems.models import Problem, ProblemVersion

pytestmark = pytest.mark.django_db

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]
POINTS = {
    "code": "points",
    "text": "40 of 100 points: group 2 of 3 failed (WA), group 3 of 3 was not run.",
    "evidence": {},
}


def judged(name: str, verdict: Verdict | None, score: float, most: float | None, accepted: int) -> dict[str, Any]:
    group = GroupJudged(name=name, verdict=verdict, score=score, max_score=most, cases=2, accepted=accepted)
    return asdict(group)


GROUPS = [
    judged("secret/1-small", Verdict.AC, 40, 40, 2),
    judged("secret/2-large", Verdict.WA, 0, 50, 1),
    judged("secret/3-huge", None, 0, 10, 0),
]


@pytest.fixture
def scored(make_submission: SubmissionMaker, make_result: ResultMaker) -> Submission:
    """40 of 100 points: the first group is right, the second is not, the third was not run."""
    made = make_submission(
        verdict=Verdict.WA, score=40, max_score=100, groups=GROUPS, test_case_count=7, explanation=[POINTS]
    )
    for name, verdict in (
        ("sample/1", Verdict.AC),
        ("secret/1-small/1", Verdict.AC),
        ("secret/1-small/2", Verdict.AC),
        ("secret/2-large/1", Verdict.AC),
        ("secret/2-large/2", Verdict.WA),
    ):
        make_result(made, name=name, verdict=verdict, is_sample=name.startswith("sample/"))
    return made


def page_of(client: Client, address: str, *args: int) -> str:
    response = client.get(reverse(address, args=args))
    assert response.status_code == 200
    return response.content.decode().replace("\u00a0", " ")


def words(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_the_head_says_the_points_and_the_verdict(as_student: Client, scored: Submission) -> None:
    page = page_of(as_student, "submission", scored.pk)
    assert "<title>WA, 40 of 100 points" in page
    head = words(page[page.index("<h1") : page.index("</h1>")])
    assert head.split() == ["Wrong", "answer:", "WA", "40", "of", "100", "points"]
    assert '<p class="lead">40 of 100 points: group 2 of 3 failed (WA), group 3 of 3 was not run.</p>' in page
    assert 'aria-label="40 of 100 points, by test group"' in page


def test_the_bar_has_a_stretch_per_group_filled_by_its_points(as_student: Client, scored: Submission) -> None:
    page = page_of(as_student, "submission", scored.pk)
    bar = page[page.index('class="points-bar"') :].split("</svg>")[0]
    tracks = re.findall(r'points-track" x="([\d.]+)%" width="([\d.]+)%', bar)
    assert [(float(x), float(width)) for x, width in tracks] == [(0, 39.4), (40, 49.4), (90, 9.4)]
    assert re.findall(r'points-earned" x="([\d.]+)%" width="([\d.]+)%', bar) == [("0.0", "39.4")]


def test_cases_stand_under_their_group_which_is_folded_when_it_is_right(as_student: Client, scored: Submission) -> None:
    page = page_of(as_student, "submission", scored.pk)
    groups = re.findall(r'<(?:details|div) class="group" id="group-(\d)"( open)?>', page)
    assert groups == [("1", ""), ("2", " open"), ("3", "")]
    first = page.index('id="group-1"')
    second, third = page.index('id="group-2"'), page.index('id="group-3"')
    assert page.index('id="case-1"') < first < page.index('id="case-2"') < page.index('id="case-3"') < second
    assert second < page.index('id="case-4"') < page.index('id="case-5"') < third
    assert "2-large WA 0 of 50 points 1 of 2 accepted" in words(page)
    assert "3-huge not run 0 of 10 points 0 of 2 accepted, 2 not run" in words(page)


def test_all_points_are_all_folded(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    groups = [judged("secret/1", Verdict.AC, 40, 40, 2), judged("secret/2", Verdict.AC, 0.5, None, 2)]
    made = make_submission(score=40.5, max_score=None, groups=groups)
    make_result(made, name="secret/1/a")
    page = page_of(as_student, "submission", made.pk)
    assert "AC, 40.5 points" in page
    assert "points-bar" not in page, "there is no most to draw it on"
    assert "0.5 points" in words(page)
    assert not re.findall(r'class="group" id="group-\d" open', page)


def test_a_partial_acceptance_is_not_said_to_be_all_right(as_student: Client, make_submission: SubmissionMaker) -> None:
    made = make_submission(verdict=Verdict.AC, score=40, max_score=100, groups=GROUPS, explanation=[POINTS])
    page = page_of(as_student, "submission", made.pk)
    assert "Every test case gave the right answer" not in page


def test_while_it_is_judged_the_groups_say_what_there_is_to_earn(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker, worker: WorkerNode, problem: Problem
) -> None:
    ProblemVersion.objects.update(
        is_scoring=True, groups=[{"name": "secret/1-small", "max_score": 40, "cases": 2, "requires": []}]
    )
    problem.refresh_from_db()
    made = make_submission(status=Status.JUDGING, test_case_count=3)
    make_result(made, name="sample/1", is_sample=True)
    make_result(made, name="secret/1-small/1")
    live = words(page_of(as_student, "submission_live", made.pk))
    assert "1-small running… 40 points 1 of 2 accepted, 1 to come" in live
    assert "of 40" not in live


def test_lists_show_points_beside_the_verdict(as_student: Client, scored: Submission, problem: Problem) -> None:
    assert "WA 40 of 100" in words(page_of(as_student, "submission_list"))
    assert "WA 40 of 100" in words(page_of(as_student, "problem_list"))
    page = as_student.get(reverse("problem", args=[problem.slug])).content.decode()
    assert "WA 40 " in words(page)


def test_the_best_of_ones_own_has_the_most_points(
    as_student: Client, make_submission: SubmissionMaker, other_student: User
) -> None:
    make_submission(verdict=Verdict.AC, score=40, max_score=100)
    best = make_submission(verdict=Verdict.WA, score=70, max_score=100)
    make_submission(verdict=Verdict.CE, score=None)
    make_submission(verdict=Verdict.AC, score=100, max_score=100, user=other_student)
    listed = as_student.get("/problems/").context["problems"][0]
    assert (listed.own.submission, listed.own.score, listed.own.max_score) == (best.pk, 70, 100)


def test_the_comparison_shows_points_by_group(
    as_student: Client, scored: Submission, make_submission: SubmissionMaker
) -> None:
    better = [judged("secret/1-small", Verdict.AC, 40, 40, 2), judged("secret/2-large", Verdict.AC, 50, 50, 2)]
    other = make_submission(verdict=Verdict.AC, score=90, max_score=100, groups=better)
    response = as_student.get(reverse("compare"), {"a": scored.pk, "b": other.pk})
    said = words(response.content.decode())
    assert "From 40 points (wrong answer) (A) to 90 points (accepted) (B)." in said
    assert "secret/1-small 40 40 the same secret/2-large 0 50 +50 secret/3-huge 0 \u2013" in said
    assert "All 40 90" in said


@pytest.mark.usefixtures("open_problem")
def test_what_the_checker_says_and_gives_is_on_samples(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    made = make_submission()
    make_result(made, name="sample/1", is_sample=True, team_message="Line 2 <b>\u202e is not sorted.", score=0.75)
    make_result(made, team_message="hidden words", same_as="secret/01", passes=3)
    page = page_of(as_student, "submission", made.pk)
    assert "Line 2 &lt;b&gt;" in page
    assert "U+202E" in page
    assert "The checker awarded 0.75 points." in page
    assert "hidden words" not in page
    assert "Same as secret/01, which was judged once" in page
    assert "The program ran 3 times on this case" in page
