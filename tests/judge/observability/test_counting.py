"""Counters of what happened: exact, whatever goes wrong in between, and cheap to read."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from judge.grading.events import GradingFinished
from judge.grading.verdicts import Verdict
from judge.models import Status, Submission
from judge.observability import counting
from judge.observability.counting import What
from judge.queue.leases import LeaseLost
from judge.submissions import records
from judge.submissions.records import GradingRecord
from judge.workers import reaper

MakeSubmission = Callable[..., Submission]
WORKER = "tally@here/0"

pytestmark = pytest.mark.usefixtures("silent_wakeup")


def numbers(what: What) -> dict[tuple[str, str], int]:
    """How often each thing of the kind was counted."""
    return {(each.first, each.second): each.number for each in counting.counted() if each.what == what}


def judged(submission: Submission, verdict: Verdict) -> Submission:
    """The submission with a verdict of a worker."""
    lease = records.claim(Submission.objects.filter(pk=submission.pk), WORKER)
    assert lease
    GradingRecord(lease).write(GradingFinished(verdict=verdict, explanation=()))
    submission.refresh_from_db()
    return submission


def test_each_verdict_counts_once_by_language(make_submission: MakeSubmission) -> None:
    for verdict in (Verdict.AC, Verdict.AC, Verdict.WA):
        judged(make_submission(), verdict)
    judged(make_submission(language="cpp"), Verdict.JE)
    assert numbers(What.VERDICT) == {("python", "AC"): 2, ("python", "WA"): 1, ("cpp", "JE"): 1}


def test_each_stage_counts_in_its_bucket_and_in_its_sum(make_submission: MakeSubmission) -> None:
    submissions = [judged(make_submission(), Verdict.AC) for _ in range(3)]
    stages = [each for each in counting.counted() if each.what == What.STAGE]
    assert {each.first for each in stages} == set(submissions[0].stages)
    for name in submissions[0].stages:
        mine = [each for each in stages if each.first == name]
        assert sum(each.number for each in mine) == 3
        assert sum(each.total_us for each in mine) == sum(each.stages[name] for each in submissions)
        for submission in submissions:
            assert any(submission.stages[name] <= float(each.second) * 1_000_000 for each in mine)


def test_write_that_comes_too_late_evidence_nothing(make_submission: MakeSubmission) -> None:
    submission = make_submission()
    lease = records.claim(Submission.objects.filter(pk=submission.pk), WORKER)
    assert lease
    Submission.objects.update(attempt=7)
    with pytest.raises(LeaseLost):
        GradingRecord(lease).write(GradingFinished(verdict=Verdict.AC, explanation=()))
    assert numbers(What.VERDICT) == {}


def test_lost_lease_and_failure_count_and_leave_their_reason(
    make_submission: MakeSubmission, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    lost = make_submission(status=Status.JUDGING, lease_until=Now() - timedelta(seconds=1), worker=WORKER)
    failed = make_submission()
    lease = records.claim(Submission.objects.filter(pk=failed.pk), WORKER)
    assert lease
    with django_capture_on_commit_callbacks(execute=True):
        reaper.take_back(Submission)
        records.release(lease, "OSError: the disk is gone")
    assert numbers(What.LEASE_LOST) == numbers(What.FAILURE) == {("submission", ""): 1}
    lost.refresh_from_db()
    failed.refresh_from_db()
    assert lost.last_failure == f"its worker {WORKER} stopped answering"
    assert failed.last_failure == "OSError: the disk is gone"


def test_row_given_up_counts_as_a_judge_error(
    make_submission: MakeSubmission,
    settings: Settings,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    settings.MAX_ATTEMPTS = 1
    make_submission(status=Status.JUDGING, lease_until=Now() - timedelta(seconds=1), worker=WORKER)
    with django_capture_on_commit_callbacks(execute=True):
        reaper.take_back(Submission)
    assert numbers(What.GIVEN_UP) == {("submission", ""): 1}
    assert numbers(What.VERDICT) == {("python", "JE"): 1}


def test_counting_takes_one_statement(make_submission: MakeSubmission) -> None:
    submission = judged(make_submission(), Verdict.AC)
    with CaptureQueriesContext(connection) as captured:
        for _ in range(50):
            counting.count_verdict(submission)
    assert len(captured) == 50
    assert numbers(What.VERDICT) == {("python", "AC"): 51}
