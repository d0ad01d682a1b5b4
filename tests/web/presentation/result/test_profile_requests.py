"""A profile that somebody asks for on the result page: asked once, waited for, refused, failed."""

from collections.abc import Callable

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from judge.models import CaseRerun, Status, Submission, TestCaseResult, WorkerNode
from tests.web.presentation.shown import page_of
from web.presentation.pages.etag import requests_about
from web.presentation.result.report import report

pytestmark = pytest.mark.django_db

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]


def test_asking_for_a_profile_makes_one_request_and_the_page_live(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission()
    result = make_result(submission)
    address = reverse("examine_case", args=[submission.pk, 0, "profile"])
    for _ in range(2):
        fragment = as_student.post(address, headers={"HX-Request": "true"}).content.decode()
    assert CaseRerun.objects.get().result == result
    assert "Rerun requested." in fragment
    assert "No worker is running; your request is kept" in fragment
    assert "data-events=" in fragment


def test_a_request_says_whether_it_waits_or_runs(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker, worker: WorkerNode
) -> None:
    submission = make_submission()
    CaseRerun.objects.of(make_result(submission), examination="profile")
    assert "It waits for its turn." in page_of(as_student, submission)
    CaseRerun.objects.update(status=Status.JUDGING)
    assert "being run once more to count its calls" in page_of(as_student, submission)


def test_a_page_read_while_a_rerun_ended_is_read_again(
    student: User, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission()
    rerun = CaseRerun.objects.of(make_result(submission), examination="profile", status=Status.JUDGING)
    read_before = requests_about(submission)
    CaseRerun.objects.filter(pk=rerun.pk).update(status=Status.DONE)
    submission.results.update(profile={"syscalls": {"read": 2}, "streams": {}})
    early, late = report(submission, student, read_before), report(submission, student, requests_about(submission))
    (case,) = early.cases.measured
    assert case.profile is not None
    assert (early.is_live, late.is_live) == (True, False)


def test_without_javascript_asking_leads_back_to_the_case(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission()
    make_result(submission)
    response = as_student.post(reverse("examine_case", args=[submission.pk, 0, "profile"]))
    assert response.status_code == 302
    assert response["Location"] == reverse("submission", args=[submission.pk]) + "#case-1"


def test_a_refused_request_says_why_at_its_case(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission()
    make_result(submission)
    for _ in range(settings.MAX_IN_FLIGHT_PER_USER):
        make_submission(status=Status.QUEUED)
    response = as_student.post(
        reverse("examine_case", args=[submission.pk, 0, "profile"]), headers={"HX-Request": "true"}
    )
    assert "as many as one person may have at once" in response.content.decode()
    assert not CaseRerun.objects.exists()


def test_a_failed_profile_says_why_and_may_be_asked_for_again(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission()
    CaseRerun.objects.of(
        make_result(submission), status=Status.DONE, problem="The meter was busy.", examination="profile"
    )
    page = page_of(as_student, submission)
    assert "The meter was busy." in page
    assert "Profile this case" in page


def test_there_is_no_profile_of_a_case_that_is_not_there(as_student: Client, make_submission: SubmissionMaker) -> None:
    assert as_student.post(reverse("examine_case", args=[make_submission().pk, 7, "profile"])).status_code == 404
