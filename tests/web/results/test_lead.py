"""The head of the result page: what helps first with each verdict, and nothing twice."""

import re
from collections.abc import Callable

import pytest
from django.test import Client

from judge.grading.verdicts import Verdict
from judge.models import Submission, TestCaseResult
from problems.models import CaseVisibility, Problem
from tests.web.results.shown import page_of, words_of

pytestmark = pytest.mark.django_db

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]


def lead(page: str) -> str:
    found = re.search(r'<p class="lead">(.*?)</p>', page, re.DOTALL)
    return words_of(found[1]).strip() if found else ""


def test_of_a_wrong_sample_the_difference_comes_first_and_once(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker, problem: Problem
) -> None:
    assert problem.current_version
    problem.current_version.samples = [{"name": "sample/1", "input": "3 4\n", "answer": "7\n"}]
    problem.current_version.save()
    submission = make_submission(verdict=Verdict.WA)
    sample = {"name": "sample/1", "is_sample": True, "verdict": Verdict.WA, "stdout_bytes": 2}
    make_result(submission, **sample, output=b"8\n", expected=b"7\n")
    page = page_of(as_student, submission)
    assert lead(page) == "The output for sample/1 is wrong."
    assert words_of(page).count("First difference: line 1 . Expected 7 , got 8 .") == 1
    for title in ("Input", "Expected output", "Your output"):
        assert f"<figcaption>{title}</figcaption>" in page
    assert "shown above" in page


def test_of_a_wrong_hidden_case_nothing_is_shown_but_its_name(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission(verdict=Verdict.WA)
    make_result(submission, is_sample=True)
    make_result(submission, verdict=Verdict.WA, output=b"zebra\n", expected=b"zebra\n", stderr=b"zebra")
    page = page_of(as_student, submission)
    assert lead(page) == ("The output for secret/02 is wrong. The input and output of hidden test cases are not shown.")
    assert "zebra" not in page


@pytest.mark.parametrize("verdict", [Verdict.WA, Verdict.RE])
def test_where_only_totals_are_shown_no_case_is_named(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker, problem: Problem, verdict: Verdict
) -> None:
    Problem.objects.update(case_visibility=CaseVisibility.TOTALS)
    problem.refresh_from_db()
    submission = make_submission(verdict=verdict)
    make_result(submission, is_sample=True)
    make_result(submission, verdict=verdict)
    page = page_of(as_student, submission)
    assert "secret/02" not in page
    assert lead(page) == words_of(verdict.record.sentence)


def test_a_program_that_failed_on_a_sample_says_its_last_words_and_the_line(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    stderr = b'Traceback (most recent call last):\n  File "/program/main.py", line 2, in <module>\nKeyError: 5\n'
    submission = make_submission(verdict=Verdict.RE, language="python", source=b"d = {}\nd[5]\n")
    make_result(
        submission, is_sample=True, name="sample/1", verdict=Verdict.RE, stderr=stderr, stderr_bytes=len(stderr)
    )
    page = page_of(as_student, submission)
    assert lead(page) == "The program failed on sample/1 in line 2 : KeyError: 5"
    assert page.count("most recent call last") == 1
    assert '<li id="L2" class="marked">' in page


def test_a_compile_error_leads_with_the_first_error_and_marks_its_line(
    as_student: Client, make_submission: SubmissionMaker
) -> None:
    message = "main.cpp:2:5: error: expected ';'\nmain.cpp:3:1: error: x\nmain.cpp:3:9: error: y\n"
    submission = make_submission(
        verdict=Verdict.CE, compile_ok=False, compile_message=message, source=b"a\nb\nc\n", test_case_count=None
    )
    page = page_of(as_student, submission)
    assert lead(page) == "Line 2 : expected &#x27;;&#x27; (and 2 more errors)"
    assert '<a href="#L3">main.cpp:3</a>' in page
    assert page.count(' class="marked"') == 2


@pytest.mark.usefixtures("open_problem")
def test_an_accepted_program_names_its_slowest_case_and_no_number_twice(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    summary = {"code": "summary", "evidence": {"test_case": "secret/02"}, "text": "It used 0.33 s of CPU time."}
    submission = make_submission(explanation=[summary])
    make_result(submission)
    make_result(submission, user_time_us=300_000, system_time_us=33_000)
    page = page_of(as_student, submission)
    assert lead(page) == "All 2 test cases are accepted. The slowest is secret/02 ."
    head = page[page.index('<header class="result-head') : page.index("</header>", page.index("result-head"))]
    assert words_of(head).count("0.33 s") == 1
    assert "Test cases accepted" not in head


def test_times_that_are_not_told_make_no_case_the_slowest(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission()
    make_result(submission, user_time_us=1_000, system_time_us=0)
    make_result(submission, user_time_us=2_000, system_time_us=0)
    assert lead(page_of(as_student, submission)) == "All 2 test cases are accepted."


def test_a_time_limit_on_the_clock_is_not_called_one_on_cpu_time(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission(verdict=Verdict.TLE)
    make_result(submission, verdict=Verdict.TLE, wall_time_us=9_000_000)
    assert "reached the limit on wall time" in lead(page_of(as_student, submission))


def test_terms_have_their_notes_once(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission()
    make_result(submission)
    make_result(submission)
    page = page_of(as_student, submission)
    named = set(re.findall(r'popovertarget="([^"]+)"', page))
    assert {"term-cpu-time", "term-user-time", "term-context-switch"} <= named
    for target in named:
        assert len(re.findall(rf' id="{target}"[^>]* popover>', page)) == 1
    assert '<a href="/help/#user-time">' in page
