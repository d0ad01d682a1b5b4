"""The write calls of a case that wrote an error message: the page says that they are not the program's alone."""

from collections.abc import Callable

import pytest
from django.test import Client

from judge.grading.case_ending import CaseEnding
from judge.grading.reading.program_errors import ErrorKind, ProgramError
from judge.models import Submission, TestCaseResult
from problems.models import Problem, ProblemVersion
from sandbox.types import Ending
from tests.web.presentation.shown import page_of, words_of

ERROR = ProgramError(kind=ErrorKind.EXCEPTION, name="KeyError")
WORDS = "The write calls include those of the error message."


@pytest.mark.parametrize(
    ("ending", "write_calls", "is_told"),
    [
        (CaseEnding(how=Ending.EXITED, exit_code=1, error=ERROR), 6, True),
        (CaseEnding(how=Ending.EXITED, exit_code=1), 6, False),
        (CaseEnding(how=Ending.EXITED, exit_code=1, error=ERROR), 0, False),
    ],
)
def test_it_is_told_where_there_was_one(
    ending: CaseEnding,
    write_calls: int,
    is_told: bool,
    as_student: Client,
    problem: Problem,
    make_submission: Callable[..., Submission],
    make_result: Callable[..., TestCaseResult],
) -> None:
    submission = make_submission(verdict="RE", problem_version=ProblemVersion.objects.get())
    make_result(submission, name="sample/1", is_sample=True, verdict="RE", ending=ending, write_calls=write_calls)
    page = words_of(page_of(as_student, submission))
    assert (WORDS in page) == is_told
    assert "that load an empty" in page
