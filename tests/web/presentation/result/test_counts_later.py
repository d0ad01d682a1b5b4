"""The page of a submission whose findings wait for system calls by name, before, while and after they are counted."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judge.models import CaseRerun, Status, Submission, TestCaseResult, WorkerNode
from judge.reruns.kinds import RerunKind
from problems.models import CaseVisibility, Problem
from tests.web.presentation.shown import PROFILE, page_of, words_of

pytestmark = pytest.mark.django_db

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]
FOLLOWS = "More findings may follow"


@pytest.fixture
def waiting(make_submission: SubmissionMaker, make_result: ResultMaker) -> Submission:
    """A submission that is judged, and one of its two cases is to be counted."""
    submission = make_submission(awaits_counts=["secret/01"])
    make_result(submission, name="secret/01")
    make_result(submission, name="secret/02")
    return submission


def _rerun(submission: Submission, **columns: object) -> CaseRerun:
    result = submission.results.get(name="secret/01")
    return CaseRerun.objects.of(result, examination=RerunKind.PROFILE, is_automatic=True, **columns)


def test_the_page_says_that_calls_are_being_counted_and_follows(
    as_student: Client, waiting: Submission, worker: WorkerNode
) -> None:
    _rerun(waiting, status=Status.JUDGING)
    words = words_of(page_of(as_student, waiting))
    assert f"{FOLLOWS}: the system calls of secret/01 are being counted by name in one more run." in words
    assert "because findings depend on them. The case is being run once more to count its calls." in words
    assert "Rerun requested." not in words
    assert "data-events=" in page_of(as_student, waiting)


def test_counts_that_nobody_takes_are_had_by_opening_the_case(as_student: Client, waiting: Submission) -> None:
    page = page_of(as_student, waiting)
    assert f"{FOLLOWS} when the system calls of " in page
    assert '<a href="#case-1-more">secret/01</a> are counted by name.' in page
    # A script presses the button of a case that is opened; so does whoever has none.
    assert page.count("data-ask-when-opened") == page.count(">Profile this case<") == 2


def test_who_may_not_see_the_numbers_of_a_case_is_told_nothing_of_it(
    as_student: Client, waiting: Submission, problem: Problem
) -> None:
    problem.case_visibility = CaseVisibility.VERDICTS
    problem.save()
    _rerun(waiting)
    assert FOLLOWS not in page_of(as_student, waiting)


def test_the_page_says_when_the_calls_were_counted_and_to_staff_by_whom(
    as_student: Client, as_staff: Client, waiting: Submission
) -> None:
    _rerun(waiting, status=Status.DONE, finished_at=timezone.now(), worker="profiler@far/0")
    waiting.results.filter(name="secret/01").update(profile=PROFILE)
    Submission.objects.update(awaits_counts=[])
    words = words_of(page_of(as_student, waiting))
    assert f"Counted {timezone.localtime():%Y-%m-%d}" in words
    assert "profiler" not in words
    assert FOLLOWS not in words
    assert "by profiler@far/0." in words_of(page_of(as_staff, waiting))


def test_a_rerun_that_failed_does_not_start_by_itself_again(as_student: Client, waiting: Submission) -> None:
    _rerun(waiting, status=Status.DONE, problem="The meter was busy.")
    page = page_of(as_student, waiting)
    assert "The meter was busy." in page
    assert (page.count("data-ask-when-opened"), page.count(">Profile this case<")) == (1, 2)


def test_opening_the_case_takes_the_waiting_rerun_to_the_front(
    as_student: Client, waiting: Submission, student: User
) -> None:
    rerun = _rerun(waiting)
    assert page_of(as_student, waiting).count("data-ask-when-opened") == 2
    as_student.post(reverse("examine_case", args=[waiting.pk, 0, "profile"]), headers={"HX-Request": "true"})
    rerun.refresh_from_db()
    assert not rerun.is_automatic
    assert page_of(as_student, waiting).count("data-ask-when-opened") == 1
