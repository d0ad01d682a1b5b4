"""What an open assignment shows of explanations: the same at every door, and to everybody who sees the problem."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judge.grading.events import Finding, GradingFinished
from judge.grading.verdicts import Verdict
from judge.models import Assignment, CaseRerun, CustomRun, ExplanationLevel, Status, Submission, TestCaseResult
from judge.submissions import trials
from problems.models import Problem
from tests.web.presentation.proof.test_buffered import TRIAL
from tests.web.presentation.proof.test_fix import FIX, SOURCE
from tests.web.presentation.proof.test_growth_runs import FOUND as GROWTH

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]
FOUND: dict[str, Any] = {
    "code": "flush-per-line",
    "evidence": {
        "test_case": "secret/01",
        "write_calls": 100_000,
        "bytes_per_write": 8.0,
        "system_time_us": 500_000,
        "cpu_time_us": 900_000,
        "kernel_percent": 55,
    },
    "lines": [2],
}
LINES = {"lines": [{"line": 2, "writes": 9, "bytes": 99}], "elsewhere": 0, "sampled_every": 1, "is_whole": True}
MARKS = {  # what a page shows from which level on
    "was spent in the kernel.": "cause",
    "With its output buffered, this test case would be accepted.": "cause",
    "from extra runs on 7 generated inputs": "cause",
    "Gather the output and hand it over in large pieces.": "line",
    "#L2": "line",
    "Line costs": "line",
    "Changed source": "fix",
    "?fix=": "fix",
}
LEVELS = list(ExplanationLevel)


@pytest.fixture
def assignment(problem: Problem, student: User, instructor: User) -> Assignment:
    made = Assignment.objects.create(title="Buffers", owner=instructor)
    made.problems.add(problem)
    made.students.add(student)
    return made


@pytest.fixture
def slow(make_submission: SubmissionMaker, make_result: ResultMaker) -> Submission:
    """A submission with everything that can be told about it."""
    submission = make_submission(
        verdict=Verdict.TLE, explanation=[FOUND], source=SOURCE.encode(), language="cpp", cause="flush-per-line"
    )
    make_result(submission, verdict=Verdict.TLE, fix=FIX, buffered=TRIAL, line_costs=LINES, growth=GROWTH)
    return submission


def choose(assignment: Assignment, level: str) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(explanation_level=level)


def seen(client: Client, submission: Submission, address: str = "submission") -> set[str]:
    text = client.get(reverse(address, args=[submission.pk])).content.decode().replace("\N{NO-BREAK SPACE}", " ")
    return {mark for mark in MARKS if mark in text}


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("address", ["submission", "submission_live"])
def test_the_page_shows_what_the_level_says(
    level: ExplanationLevel, address: str, assignment: Assignment, slow: Submission, student: User
) -> None:
    choose(assignment, level)
    expected = {mark for mark, since in MARKS.items() if level.reaches(ExplanationLevel(since))}
    assert seen(browser(student), slow, address) == expected
    text = browser(student).get(reverse(address, args=[slow.pk])).content.decode()
    assert ("An open assignment with this problem shows" in text) == (level is not ExplanationLevel.FIX)
    assert ("shows the cause only." in text) == (level is ExplanationLevel.CAUSE)


def test_without_an_assignment_all_is_shown(slow: Submission, student: User) -> None:
    assert seen(browser(student), slow) == set(MARKS)
    assert "An open assignment" not in browser(student).get(reverse("submission", args=[slow.pk])).content.decode()


def test_a_new_assignment_shows_no_changed_source(assignment: Assignment) -> None:
    assert assignment.explanation_level == ExplanationLevel.LINE


def test_the_least_of_several_counts_until_it_closes_and_is_there(
    assignment: Assignment, problem: Problem, slow: Submission, student: User, instructor: User
) -> None:
    other = Assignment.objects.create(title="Other", owner=instructor, explanation_level=ExplanationLevel.NOTHING)
    assert "Gather the output and hand it over in large pieces." in seen(browser(student), slow)
    other.problems.add(problem)
    assert seen(browser(student), slow) == set()
    other.students.add(student)
    assert seen(browser(student), slow) == set()
    other.opens_at = timezone.now() + timedelta(days=1)
    other.save()
    assert "Gather the output and hand it over in large pieces." in seen(browser(student), slow)
    Assignment.objects.filter(pk=other.pk).update(opens_at=timezone.now() - timedelta(days=2))
    assert seen(browser(student), slow) == set()
    Assignment.objects.filter(pk=other.pk).update(closes_at=timezone.now() - timedelta(days=1))
    assert "Gather the output and hand it over in large pieces." in seen(browser(student), slow)
    choose(assignment, "nothing")
    assert seen(browser(student), slow) == set()
    Assignment.objects.filter(pk=assignment.pk).update(deleted_at=timezone.now())
    assert seen(browser(student), slow) == set(MARKS)


def test_it_holds_for_a_second_account_and_not_for_the_owners(
    assignment: Assignment, problem: Problem, slow: Submission, other_student: User, instructor: User
) -> None:
    choose(assignment, "nothing")
    Submission.objects.update(user=other_student)  # who is in no class
    assert seen(browser(other_student), slow) == set()
    teacher = User.objects.create_user("teacher")  # an instructor with an account of no staff
    assert Assignment.objects.level_for(teacher.pk, problem.pk) is ExplanationLevel.NOTHING
    Assignment.objects.update(owner=teacher)
    assert Assignment.objects.level_for(teacher.pk, problem.pk) is ExplanationLevel.FIX
    assert Assignment.objects.level_for(None, problem.pk) is ExplanationLevel.NOTHING
    Problem.objects.update(owner=other_student)
    assert seen(browser(other_student), slow) == set(MARKS)


def test_staff_see_all_of_it(assignment: Assignment, slow: Submission, instructor: User) -> None:
    choose(assignment, "nothing")
    User.objects.filter(pk=instructor.pk).update(is_staff=True)
    assert seen(browser(User.objects.get(pk=instructor.pk)), slow) == set(MARKS)


@pytest.mark.usefixtures("silent_wakeup")
@pytest.mark.parametrize(
    ("examination", "since"),
    [
        ("profile", "nothing"),
        ("timeline", "nothing"),
        ("buffered", "cause"),
        ("growth", "cause"),
        ("lines", "line"),
        ("fix", "fix"),
    ],
)
@pytest.mark.parametrize("level", LEVELS)
def test_only_what_would_be_shown_may_be_asked_for(
    level: ExplanationLevel, examination: str, since: str, assignment: Assignment, slow: Submission, student: User
) -> None:
    choose(assignment, level)
    columns = ("fix", "buffered", "line_costs", "profile", "timeline", "growth")
    TestCaseResult.objects.update(**dict.fromkeys(columns))
    answer = browser(student).post(reverse("examine_case", args=[slow.pk, 0, examination]))
    assert (answer.status_code == 404) == (not level.reaches(ExplanationLevel(since)))
    assert CaseRerun.objects.exists() == (answer.status_code != 404)


@pytest.mark.parametrize("level", LEVELS)
def test_the_changed_source_comes_into_the_editor_at_the_last_level_only(
    level: ExplanationLevel, assignment: Assignment, slow: Submission, student: User, problem: Problem
) -> None:
    choose(assignment, level)
    address = f"{reverse('problem', args=[problem.slug])}?fix={slow.results.get().pk}"
    assert browser(student).get(address).status_code == (200 if level is ExplanationLevel.FIX else 404)


@pytest.mark.parametrize("level", LEVELS)
def test_the_file_of_submissions_has_causes_from_the_cause_on(
    level: ExplanationLevel, assignment: Assignment, slow: Submission, student: User
) -> None:
    choose(assignment, level)
    answer = browser(student).get(reverse("submission_csv"))
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]
    assert str(slow.pk) in text
    assert ("flush-per-line" in text) == (level is not ExplanationLevel.NOTHING)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("address", ["custom_run", "custom_run_live"])
def test_a_custom_run_says_no_more_than_a_submission(
    level: ExplanationLevel, address: str, assignment: Assignment, slow: Submission, student: User, problem: Problem
) -> None:
    choose(assignment, level)
    version = problem.current_version
    assert version
    run = CustomRun.objects.create(
        user=student,
        problem_version=version,
        language="cpp",
        source=SOURCE.encode(),
        time_limit_ms=1_000,
        status=Status.DONE,
        verdict=Verdict.TLE,
        explanation=(Finding(**{**FOUND, "lines": (2,)}),),
    )
    text = browser(student).get(reverse(address, args=[run.pk])).content.decode()
    assert ("was spent in the kernel." in text) == level.reaches(ExplanationLevel.CAUSE)
    assert ("Gather the output and hand it over in large pieces." in text) == level.reaches(ExplanationLevel.LINE)


def test_nothing_is_tried_that_its_author_may_not_see(
    assignment: Assignment, slow: Submission, problem: Problem
) -> None:

    finding = Finding(code="flush-per-line", evidence={"test_case": "secret/01"})
    event = GradingFinished(verdict=Verdict.TLE, explanation=(finding,))
    trials.request(slow, event)
    assert set(CaseRerun.objects.values_list("examination", flat=True)) == {"buffered"}
    CaseRerun.objects.all().delete()
    choose(assignment, "fix")
    trials.request(slow, event)
    assert set(CaseRerun.objects.values_list("examination", flat=True)) == {"buffered", "fix"}


def test_an_instructor_chooses_in_the_form(assignment: Assignment, instructor: User, problem: Problem) -> None:
    owner = browser(instructor)
    address = reverse("edit_assignment", args=[assignment.pk])
    assert 'name="explanation_level"' in owner.get(address).content.decode()
    sent = {"title": "Buffers", "problems": [problem.pk]}
    owner.post(address, {**sent, "explanation_level": "cause"})
    assert Assignment.objects.get().explanation_level == ExplanationLevel.CAUSE
    owner.post(address, sent)
    assert Assignment.objects.get().explanation_level == ExplanationLevel.CAUSE
    assert owner.post(address, {**sent, "explanation_level": "everything"}).status_code in (200, 422)
    assert Assignment.objects.get().explanation_level == ExplanationLevel.CAUSE
