"""The head of the result page: what helps first with each verdict, and nothing twice."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client

from judge.grading.case_ending import CaseEnding
from judge.grading.reading.program_errors import ErrorKind, ProgramError
from judge.grading.verdicts import Verdict
from judge.models import Assignment, CaseRerun, ExplanationLevel, Submission, TestCaseResult
from judge.reruns.kinds import RerunKind
from problems.models import CaseVisibility, Problem
from problems.package import Sample
from sandbox.types import Ending
from tests.web.presentation.shown import page_of, words_of

pytestmark = pytest.mark.django_db

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]


KEY_ERROR = ProgramError(kind=ErrorKind.EXCEPTION, name="KeyError", line=2, message="5")
TRACEBACK = b'Traceback (most recent call last):\n  File "/program/main.py", line 2, in <module>\nKeyError: 5\n'


def failed_sample() -> dict[str, object]:
    """The columns of a Python program's sample that failed with a traceback."""
    return {
        "is_sample": True,
        "name": "sample/1",
        "verdict": Verdict.RE,
        "stderr": TRACEBACK,
        "stderr_bytes": len(TRACEBACK),
    }


def lead(page: str) -> str:
    found = re.search(r'<p class="lead">(.*?)</p>', page, re.DOTALL)
    return words_of(found[1]).strip() if found else ""


def test_of_a_wrong_sample_the_difference_comes_first_and_once(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker, problem: Problem
) -> None:
    assert problem.current_version
    problem.current_version.samples = (Sample(name="sample/1", input="3 4\n", answer="7\n"),)
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
    submission = make_submission(verdict=Verdict.RE, language="python", source=b"d = {}\nd[5]\n")
    ending = CaseEnding(how=Ending.EXITED, exit_code=1, error=KEY_ERROR, is_output_right=True)
    make_result(submission, **failed_sample(), ending=ending)
    page = page_of(as_student, submission)
    said = (
        "The program failed on sample/1 in line 2 : KeyError: 5 . Its output was right: only the way it ended is wrong."
    )
    assert lead(page) == said
    assert '<a href="#L2">line 2</a>' in page
    assert page.count("most recent call last") == 1
    assert '<li id="L2" class="marked">' in page


def test_a_program_that_the_kernel_does_not_start_is_said_to(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission(verdict=Verdict.RE, language="cpp")
    make_result(submission, **failed_sample(), ending=CaseEnding(how=None, refusal="Exec format error"))
    page = page_of(as_student, submission)
    assert lead(page) == "The program failed on sample/1 ."
    assert "the program cannot be started: Exec format error" in page


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        (
            CaseEnding(how=Ending.EXITED, error=KEY_ERROR),
            "The exception KeyError , which nothing caught, ended the program on secret/02 in line 2 .",
        ),
        (
            CaseEnding(how=Ending.EXITED, exit_code=77, is_output_right=True),
            "The program ended with an exit code other than 0 on secret/02 , which means an error. Its output was "
            "right: only the way it ended is wrong.",
        ),
        (
            CaseEnding(how=Ending.SIGNALLED, signal="SIGFPE"),
            "SIGFPE (arithmetic error) ended the program on secret/02 : an integer division had no result.",
        ),
        (CaseEnding(how=Ending.SIGNALLED, signal="SIGUSR2"), "A signal ended the program on secret/02 ."),
    ],
)
def test_of_a_hidden_case_the_type_and_the_line_are_told_and_no_word_of_the_program(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker, ending: CaseEnding, said: str
) -> None:
    """Also where a row has more than it should."""
    submission = make_submission(verdict=Verdict.RE, language="python", source=b"d = {}\nd[5]\n")
    make_result(submission, is_sample=True)
    make_result(submission, verdict=Verdict.RE, exit_code=77, ending=ending, stderr=b"zebra")
    page = page_of(as_student, submission)
    assert lead(page) == f"{said} The error output of hidden test cases is not shown."
    words = words_of(page).replace(str(submission.pk), "")  # its number may have the exit code in it
    for secret in ("KeyError: 5", "77", "SIGUSR2", "zebra"):
        assert not re.search(rf"\b{secret}\b", words)
    assert ('<li id="L2" class="marked">' in page) is (ending.place > 0)


def test_staff_see_the_exit_code_of_a_hidden_case(
    as_staff: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission(verdict=Verdict.RE)
    ending = CaseEnding(how=Ending.EXITED, exit_code=77).bounded(frozenset())
    make_result(submission, verdict=Verdict.RE, exit_code=77, ending=ending)
    assert "exit code 77 on secret/01" in lead(page_of(as_staff, submission)).replace(" :", ":")


def test_an_error_of_a_sample_is_text_however_it_is_written(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission(verdict=Verdict.RE, language="python", source=b"d = {}\nd[5]\n")
    error = replace(KEY_ERROR, message="`{case}` <b>{line} %s \u202e")
    ending = CaseEnding(how=Ending.EXITED, exit_code=1, error=error)
    make_result(submission, **failed_sample(), ending=ending)
    page = page_of(as_student, submission)
    assert "<code>KeyError: `{case}` &lt;b&gt;{line} %s <span" in page


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


SEGFAULT = CaseEnding(how=Ending.SIGNALLED, signal="SIGSEGV", line=3)
AT_LINE = "It was at line 3 then."
FIND = "Find the line where it ended"


def crashed(make_submission: SubmissionMaker, make_result: ResultMaker, **changes: object) -> Submission:
    """A C++ program that a signal ended on a hidden case."""
    ending = replace(SEGFAULT, **changes)  # type: ignore[arg-type]
    submission = make_submission(verdict=Verdict.RE, language="cpp", source=b"int\nmain()\n{ throw 5; }\n")
    make_result(submission, is_sample=True)
    make_result(submission, verdict=Verdict.RE, ending=ending)
    return submission


def test_a_crash_whose_line_was_found_says_and_marks_it(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    page = page_of(as_student, crashed(make_submission, make_result))
    assert AT_LINE in lead(page)
    assert '<li id="L3" class="marked">' in page
    assert FIND not in page


def test_a_crash_without_a_line_offers_to_find_it(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = crashed(make_submission, make_result, line=0)
    assert FIND in page_of(as_student, submission)
    CaseRerun.objects.of(submission.results.get(position=1), examination=RerunKind.CRASH, is_automatic=True)
    page = page_of(as_student, submission)
    assert "It waits for its turn." in page or "No worker is running" in page
    assert FIND not in page
    assert "data-events" in page
    Submission.objects.update(language="python")
    assert FIND not in page_of(as_student, submission)


def test_an_instructor_who_shows_the_cause_only_shows_no_line_of_a_crash(
    as_student: Client,
    student: User,
    instructor: User,
    problem: Problem,
    make_submission: SubmissionMaker,
    make_result: ResultMaker,
) -> None:
    submission = crashed(make_submission, make_result)
    assignment = Assignment.objects.create(title="A", owner=instructor, explanation_level=ExplanationLevel.CAUSE)
    assignment.problems.add(problem)
    assignment.students.add(student)
    page = page_of(as_student, submission)
    assert "SIGSEGV" in lead(page)
    assert AT_LINE not in page
    assert FIND not in page
