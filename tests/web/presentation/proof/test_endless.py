"""A program that was proved never to end, as its page shows it: the line, the visits, and what lay between."""

from collections.abc import Callable

import pytest
from django.test import Client

from judge.models import Submission, TestCaseResult
from problems.models import Problem
from tests.web.presentation.shown import page_of, words_of

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]


@pytest.mark.parametrize(
    ("visits", "reads", "writes", "said"),
    [
        (1, 0, 0, "At line 7 the state of your program repeated after the next visit: it never ends."),
        (3, 0, 0, "At line 7 the state of your program repeated after 3 visits: it never ends."),
        (1, 2, 0, "In between it asked for input, of which there was none left."),
        (1, 0, 9, "In between it only printed, each time the same."),
    ],
)
def test_the_page_names_the_line_and_what_lay_between(
    visits: int,
    reads: int,
    writes: int,
    said: str,
    as_student: Client,
    problem: Problem,
    make_submission: SubmissionMaker,
    make_result: ResultMaker,
) -> None:
    submission = make_submission(verdict="TLE")
    states = {"line": 7, "visits": visits, "reads": reads, "writes": writes}
    make_result(submission, name="sample/1", is_sample=True, verdict="TLE", states=states)
    page = page_of(as_student, submission)
    assert said in words_of(page)
    assert 'href="#L7"' in page
    assert ("In between" in words_of(page)) == bool(reads or writes)
