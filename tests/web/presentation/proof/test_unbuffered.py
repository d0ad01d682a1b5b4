"""A case that ran with nothing left in a buffer, as its page shows it, and to whom."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from judge.grading.events import BufferChange, Finding, UnbufferedTwin
from judge.models import CaseRerun, Submission, TestCaseResult
from problems.models import Problem, ProblemVersion
from tests.web.presentation.shown import page_of, words_of

LOST = UnbufferedTwin(change=BufferChange.LOST, stdout_bytes=0, twin_bytes=2, is_right=True)
PROVED = Finding(
    code="lost-buffer",
    evidence={"test_case": "secret/1", "construct": "os._exit()", "change": "lost", "is_right": True, "lost": "4711"},
    lines=(1,),
)
Shown = Callable[..., Submission]


@pytest.fixture
def shown(
    problem: Problem, make_submission: Callable[..., Submission], make_result: Callable[..., TestCaseResult]
) -> Shown:
    """A function that inserts a submission whose only case is a wrong answer on hidden input."""

    def make(**columns: Any) -> Submission:
        version = ProblemVersion.objects.get()
        submission = make_submission(verdict="WA", problem_version=version, explanation=[PROVED], cause=PROVED.code)
        make_result(submission, **{"name": "secret/1", "is_sample": False, "verdict": "WA", **columns})
        return submission

    return make


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (BufferChange.NONE, "wrote the same to the byte."),
        (BufferChange.LOST, "some of its output was lost in the buffer. That output is right."),
        (BufferChange.DOUBLED, "some of its output was written more than once. That output is right."),
        (BufferChange.REORDERED, "in another order: that in which it prints. That output is right."),
        (BufferChange.OTHER, "wrote something else. That output is right."),
    ],
)
def test_each_change_has_its_sentence(change: BufferChange, words: str, as_student: Client, shown: Shown) -> None:
    twin = UnbufferedTwin(change=change, stdout_bytes=3, twin_bytes=2, is_right=True)
    assert words in words_of(page_of(as_student, shown(unbuffered=twin)))


def test_of_a_hidden_case_the_proof_is_told_and_no_word_of_the_output(as_student: Client, shown: Shown) -> None:
    page = page_of(as_student, shown(unbuffered=LOST))
    assert "was never written." in words_of(page)
    assert "it prints the right output." in words_of(page)
    assert "4711" not in page


def test_it_can_be_asked_for_where_an_output_is_wrong(as_student: Client, shown: Shown) -> None:
    submission = shown()
    assert "Rerun unbuffered" in page_of(as_student, submission)
    address = reverse("examine_case", args=[submission.pk, 0, "twin"])
    live = as_student.post(address, headers={"HX-Request": "true"}).content.decode()
    assert CaseRerun.objects.get().examination == "twin"
    assert "Rerun with output unbuffered" in live
    assert "Rerun requested." in live


def test_it_is_not_offered_for_what_is_right(as_student: Client, shown: Shown) -> None:
    assert "Rerun unbuffered" not in page_of(as_student, shown(verdict="AC"))
