"""The result page: what it never shows of hidden cases, and what of strangers it shows as text."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from judge.grading.case_ending import CallExcess, CaseEnding, TokenDifference
from judge.grading.reading.program_errors import ErrorKind, ProgramError
from judge.grading.verdicts import Verdict
from judge.models import Submission, TestCaseResult
from problems.models import Problem, ProblemVersion
from sandbox.types import Ending
from tests.web.presentation.shown import PROFILE, page_of, words_of

pytestmark = pytest.mark.django_db

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]


def _hidden(make_submission: SubmissionMaker, make_result: ResultMaker) -> Submission:
    finding = {
        "code": "summary",
        "text": "secret/01 made 3,000,001 write calls in 2.41 s.",
        "evidence": {"test_case": "secret/01", "write_calls": 3_000_001},
    }
    submission = make_submission(verdict=Verdict.RE, explanation=[finding], judge_message="")
    make_result(
        submission,
        verdict=Verdict.RE,
        ending=CaseEnding(how=Ending.EXITED, exit_code=42),
        judge_message="CHECKER-WORDS",
        output=b"HIDDEN-OUTPUT",
        expected=b"HIDDEN-ANSWER",
        stderr=b"HIDDEN-STDERR",
        write_calls=3_000_001,
        read_calls=123_456,
        user_time_us=1_234_567,
        peak_memory_bytes=123_456_789,
        profile=PROFILE,
    )
    return submission


def test_a_hidden_case_shows_contestants_no_content_and_no_exit_code(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    page = page_of(as_student, _hidden(make_submission, make_result))
    assert "secret/01" in page
    for secret in ("HIDDEN-OUTPUT", "HIDDEN-ANSWER", "HIDDEN-STDERR", "CHECKER-WORDS", "exit code 42"):
        assert secret not in page


def test_the_numbers_of_a_hidden_case_are_rounded_for_contestants(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    page = page_of(as_student, _hidden(make_submission, make_result))
    for exact in ("3,000,001", "3000001", "123,456", "1234567", "123456789", "20,700,007"):
        assert exact not in page
    assert "3,000,000" in page
    assert "are rounded to two digits" in page


def test_near_a_limit_on_calls_a_count_has_a_digit_more_and_is_not_on_the_other_side(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    ProblemVersion.objects.update(write_calls=2_000)
    for made, shown in ((2_003, "2,010"), (1_234, "1,230"), (4_711, "4,700")):
        submission = make_submission(verdict=Verdict.SLE)
        make_result(submission, verdict=Verdict.SLE, write_calls=made)
        page = page_of(as_student, submission)
        assert f'write calls</span> <span class="number">{shown}</span>' in page
        assert f"{made:,}" not in page


def test_opening_a_problem_opens_no_submission_of_before(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker, problem: Problem
) -> None:
    before = make_submission()
    make_result(before, write_calls=47_113)
    opened = problem.current_version
    assert opened
    opened.pk, opened.number, opened.exact_numbers = None, 2, True
    opened.save()
    after = make_submission(problem_version=opened)
    make_result(after, write_calls=52_227)
    assert "47,113" not in page_of(as_student, before)
    assert "52,227" in page_of(as_student, after)
    assert "are rounded to two digits" not in page_of(as_student, after)
    compared = as_student.get(reverse("compare"), {"s": [before.pk, after.pk]}).content.decode()
    assert "47,113" not in compared
    assert {"47,000", "52,227"} <= set(re.findall(r"[\d,]+", compared))


def test_a_hidden_case_has_no_name_of_a_call_for_each_digit_of_its_input(
    as_student: Client, as_staff: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    digits = {f"digit_{place}": 100 + place for place in range(40)}
    submission = make_submission(verdict=Verdict.RE)
    make_result(submission, profile={"syscalls": {"write": 5_000, **digits}, "streams": {}})
    page, of_staff = page_of(as_student, submission), page_of(as_staff, submission)
    assert len(re.findall(r"<code>digit_\d+</code>", page)) == 7
    assert "at most eight names, each with at least 1 % of all calls" in words_of(page)
    assert len(re.findall(r"<code>digit_\d+</code>", of_staff)) == 40
    assert "are listed" not in of_staff


def test_staff_see_exact_numbers_details_and_the_checkers_words_but_no_content(
    as_staff: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    page = page_of(as_staff, _hidden(make_submission, make_result))
    for shown in ("3,000,001", "123,456", "CHECKER-WORDS", "exit code 42"):
        assert shown in page
    assert "HIDDEN-" not in page
    assert "are rounded to two digits" not in page


@pytest.mark.parametrize("verdict", [Verdict.TLE, Verdict.MLE, Verdict.OLE])
def test_a_hidden_case_says_which_limit_stopped_it(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker, verdict: Verdict
) -> None:
    submission = make_submission(verdict=verdict)
    (how,) = verdict.record.endings - {Ending.CPU_LIMIT}
    ending = CaseEnding(how=how, limit=3_000 if how is Ending.WALL_LIMIT else 64 << 20, stream="stdout")
    make_result(submission, verdict=verdict, ending=ending)
    said = {Verdict.TLE: "wall time limit of 3 s", Verdict.MLE: "memory limit of 64 MiB"}
    assert said.get(verdict, "output limit of 64 MiB on stdout") in page_of(as_student, submission)


@pytest.mark.parametrize("verdict", [each for each in Verdict if each.record.is_judged and each is not Verdict.AC])
def test_the_english_of_an_older_row_is_told_to_staff_and_of_samples(
    as_student: Client,
    as_staff: Client,
    make_submission: SubmissionMaker,
    make_result: ResultMaker,
    verdict: Verdict,
) -> None:
    submission = make_submission(verdict=verdict)
    make_result(submission, verdict=verdict, ending=CaseEnding(how=None, text="it read ZEBRA-4711"))
    assert "ZEBRA" not in page_of(as_student, submission)
    assert "it read ZEBRA-4711" in page_of(as_staff, submission)


@pytest.mark.parametrize("verdict", [each for each in Verdict if each.record.is_judged and each is not Verdict.AC])
def test_no_value_of_an_ending_that_may_not_be_told_is_on_the_page_of_a_hidden_case(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker, verdict: Verdict
) -> None:
    """Also where a row has more than it should."""
    error = ProgramError(kind=ErrorKind.EXCEPTION, name="ZEBRA-1", message="ZEBRA-2")
    for how in (None, *Ending):
        ending = CaseEnding(
            how=how,
            exit_code=77,
            signal="SIGUSR2",
            error=error,
            lost=error,
            calls=CallExcess(what="write", made=77_077, most=70_077),
            difference=TokenDifference(number=770_707_707, expected="ZEBRA-3", got="ZEBRA-4"),
            refusal="ZEBRA-5",
            text="ZEBRA-6",
        )
        submission = make_submission(verdict=verdict)
        make_result(submission, verdict=verdict, ending=ending)
        page = page_of(as_student, submission)
        for secret in ("ZEBRA", "SIGUSR2", "exit code 77", "77,077", "70,077", "770707707", "770,707,707"):
            assert secret not in page, (how, secret)


def test_a_sample_shows_escaped_output_and_where_it_differs(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission(verdict=Verdict.WA)
    make_result(
        submission,
        name="sample/1",
        is_sample=True,
        verdict=Verdict.WA,
        output=b"3\n<script>alert(1)</script>\x00\xff\n",
        expected=b"3\n4\n",
        stderr="\u202edebug".encode(),
        stdout_bytes=9_999,
    )
    page = page_of(as_student, submission)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    words = words_of(page)
    assert "\\x00" in words
    assert "\\xff" in words
    assert "U+202E" in words
    assert "First difference: line 2 ." in words
    assert words.count("More lines follow.") == 1


def test_a_kept_result_shows_no_time_of_a_compiler(as_student: Client, make_submission: SubmissionMaker) -> None:
    for language, words in (("cpp", "compiled"), ("python", "checked")):
        submission = make_submission(language=language, compile_ok=True, compile_wall_time_us=None)
        said = f"not {words} again: the same source was {words} before"
        assert said in words_of(page_of(as_student, submission))
        submission.compile_wall_time_us = 1_234_000
        submission.save()
        page = words_of(page_of(as_student, submission))
        assert f"{words} in 1.23 s" in page
        assert said not in page
    assert "ompiled" not in words_of(page_of(as_student, make_submission(compile_ok=None))).partition("Submitted")[0]


def test_compiler_messages_are_escaped(as_student: Client, make_submission: SubmissionMaker) -> None:
    submission = make_submission(
        verdict=Verdict.CE, compile_ok=False, compile_message="error: <img src=x onerror=alert(1)> \u202e \x1b[31m"
    )
    page = page_of(as_student, submission)
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "U+202E" in page
    assert "\\x1b" in page


def test_source_is_escaped_and_numbered(as_student: Client, make_submission: SubmissionMaker) -> None:
    page = page_of(as_student, make_submission(source=b"// </code><script>alert(1)</script>\n\xff\n"))
    assert "<script>alert" not in page
    assert '<li id="L2">' in page


def test_the_page_has_no_inline_style_or_script(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission()
    make_result(submission, profile=PROFILE)
    page = page_of(as_student, submission)
    assert not re.search(r"\sstyle=|<style|\son\w+=|<script(?![^>]*\ssrc=)", page)
