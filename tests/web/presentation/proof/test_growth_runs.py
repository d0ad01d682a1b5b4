"""The growth of a program by extra runs, on its page: who may ask for it where, and what is told to whom."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from judge.models import CaseRerun, Submission, TestCaseResult
from problems.models import CaseVisibility, Problem, ProblemVersion
from tests.web.presentation.shown import page_of, words_of

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]
BUTTON = "Measure the growth"
FOUND: dict[str, Any] = {
    "code": "growth",
    "evidence": {
        "inputs": "generated",
        "power_percent": 196,
        "low_percent": 185,
        "high_percent": 207,
        "test_cases": 7,
        "least_bytes": 3_526,
        "most_bytes": 28_256,
        "largest_bytes": 688_955,
        "largest_time_us": 218_345_678,
        "largest_low_us": 84_812_345,
        "largest_high_us": 560_123_456,
        "time_limit_ms": 1_500,
        "points": [[3_526, 10_813], [7_067, 36_345], [14_109, 147_684], [28_256, 546_967]],
        "line": [9_984, 74_123],
    },
    "lines": [],
}
OF_CASES = {**FOUND, "evidence": {**FOUND["evidence"], "test_case": "secret/01", "test_cases": 4}}
del OF_CASES["evidence"]["inputs"]

pytestmark = pytest.mark.usefixtures("silent_wakeup")


@pytest.fixture
def slow(problem: Problem, make_submission: SubmissionMaker, make_result: ResultMaker) -> Callable[..., Submission]:
    """A function that inserts a submission with a quick and a stopped case; the problem has a generator of inputs."""
    ProblemVersion.objects.update(has_growth_generator=True)
    problem.refresh_from_db()

    def make(found: dict[str, Any] | None = None, **columns: Any) -> Submission:
        submission = make_submission(verdict="TLE", **columns)
        make_result(submission, user_time_us=20_000)
        make_result(submission, verdict="TLE", user_time_us=1_801_234, exit_code=None, growth=deepcopy(found))
        return submission

    return make


def section(page: str) -> str:
    start = page.find('<section class="proof growth-runs"')
    return page[start : page.index("</section>", start)] if start >= 0 else ""


def ask(client: Client, submission: Submission, position: int = 1) -> Any:
    address = reverse("examine_case", args=[submission.pk, position, "growth"])
    return client.post(address, headers={"HX-Request": "true"})


def test_it_may_be_asked_for_and_is_then_on_its_way(as_student: Client, slow: Callable[..., Submission]) -> None:
    submission = slow()
    page = page_of(as_student, submission)
    assert page.count(BUTTON) == 1
    assert "made by the problem's generator" in section(page).replace("&#x27;", "'")
    live = ask(as_student, submission).content.decode()
    request = CaseRerun.objects.get()
    assert (request.examination, request.result.position, request.is_automatic) == ("growth", 1, False)
    assert "Extra runs requested." in section(live)
    assert BUTTON not in live


def test_what_it_told_takes_the_place_of_what_few_cases_told(
    as_student: Client, slow: Callable[..., Submission]
) -> None:
    ProblemVersion.objects.update(exact_numbers=True)
    of_cases = slow(explanation=[OF_CASES])
    words = words_of(page_of(as_student, of_cases))
    assert "from 4 test cases of 3.4 KiB to 27.6 KiB" in words
    assert BUTTON in words
    told = slow(FOUND, explanation=[OF_CASES])
    page = page_of(as_student, told)
    assert "from 4 test cases" not in page
    assert "from extra runs on 7 generated inputs of 3.4 KiB to 27.6 KiB" in section(page)
    assert "Such an input as large as the largest test case of the problem, 673 KiB, would take about 218 s" in section(
        page
    )
    assert "came after the verdict and do not change it" in section(page)
    assert section(page).count("<circle") == 4
    assert BUTTON not in page


def test_of_secret_inputs_the_numbers_are_rounded_for_students_only(
    as_student: Client, as_staff: Client, slow: Callable[..., Submission]
) -> None:
    submission = slow(FOUND)
    hidden = section(page_of(as_student, submission))
    assert "inputs of 3.4 KiB to 27 KiB" in words_of(hidden)
    assert "would take about 220 s (between 85 s and 560 s)" in words_of(hidden)
    assert "0.55 s" in hidden
    assert "547" not in hidden
    assert "218" in section(page_of(as_staff, submission))


@pytest.mark.parametrize("visibility", [CaseVisibility.VERDICTS, CaseVisibility.TOTALS])
def test_who_sees_no_numbers_of_secret_cases_neither_sees_nor_gets_it(
    visibility: CaseVisibility, as_student: Client, as_staff: Client, slow: Callable[..., Submission]
) -> None:
    Problem.objects.update(case_visibility=visibility)
    told, asked = slow(FOUND), slow()
    TestCaseResult.objects.update(is_sample=True)  # not even beside samples, whose numbers everybody sees
    assert not section(page_of(as_student, told))
    assert BUTTON not in page_of(as_student, asked)
    assert ask(as_student, asked).status_code == 404
    assert section(page_of(as_staff, told))
    assert ask(as_staff, asked).status_code == 200


def test_one_case_keeps_it_and_no_other_can_be_asked(as_student: Client, slow: Callable[..., Submission]) -> None:
    submission = slow()
    assert ask(as_student, submission, position=0).status_code == 404
    assert not CaseRerun.objects.exists()


def test_it_is_not_offered_where_it_can_tell_nothing_more(as_student: Client, slow: Callable[..., Submission]) -> None:
    enough = {**OF_CASES, "evidence": {**OF_CASES["evidence"], "test_cases": 6}}
    several = slow(explanation=[enough])
    assert BUTTON not in page_of(as_student, several)
    assert ask(as_student, several).status_code == 404
    ProblemVersion.objects.update(has_growth_generator=False)
    assert BUTTON not in page_of(as_student, slow())
    rest = slow(test_case_count=9)  # cases that were not judged
    assert "also on those that it was not judged on" in section(page_of(as_student, rest))
    ProblemVersion.objects.update(has_growth_generator=True, is_interactive=True)
    assert BUTTON not in page_of(as_student, slow())
    ProblemVersion.objects.update(is_interactive=False, most_passes=2)
    assert BUTTON not in page_of(as_student, slow())


def test_of_a_quick_program_it_is_folded_among_the_other_reruns(
    as_student: Client, slow: Callable[..., Submission], make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    slow()
    quick = make_submission(problem_version=ProblemVersion.objects.get())
    make_result(quick)
    page = page_of(as_student, quick)
    assert not section(page)
    assert page.count(BUTTON) == 1


def test_where_another_cause_is_known_it_does_not_stand_above(
    as_student: Client, slow: Callable[..., Submission]
) -> None:
    flushes = {"code": "flush-per-line", "evidence": {"test_case": "secret/02"}, "lines": []}
    page = page_of(as_student, slow(explanation=[flushes]))
    assert not section(page)
    assert page.count(BUTTON) == 1


def test_why_nothing_can_be_said_is_told_and_it_may_be_asked_for_again(
    as_student: Client, slow: Callable[..., Submission]
) -> None:
    submission = slow()
    ask(as_student, submission)
    CaseRerun.objects.update(status="done", problem="Its times differ too much.")
    page = section(page_of(as_student, submission))
    assert "Its times differ too much." in page
    assert BUTTON in page
