"""What the sweeper does about lost messages and dead workers."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now
from pytest_django import Settings

from judge.models import CaseRerun, Status, Submission, TestCaseResult, WorkerNode
from judge.queue import wakeup
from judge.queue.leases import LeaseLost, fenced
from judge.submissions import records
from judge.workers import reaper, registration

MakeSubmission = Callable[..., Submission]
MakeResult = Callable[[Submission], TestCaseResult]
LONG_AGO = timedelta(minutes=5)


pytestmark = pytest.mark.usefixtures("silent_wakeup")


def test_lost_ring_is_rung_again(make_submission: MakeSubmission) -> None:
    make_submission()
    reaper.sweep()
    assert wakeup.unread_wakeups() == 1


@pytest.mark.django_db
def test_worker_silent_for_a_week_is_forgotten_though_none_is_started() -> None:
    week = registration.FORGOTTEN_AFTER
    silent_for = {"alive": LONG_AGO, "silent": week - LONG_AGO, "gone": week + LONG_AGO}
    for name, silence in silent_for.items():
        WorkerNode.objects.create(name=name, started_at=Now() - 2 * week, last_seen_at=Now() - silence)
    reaper.sweep()
    assert {node.name for node in WorkerNode.objects.all()} == {"alive", "silent"}


def test_judging_done_and_pausing_rows_are_not_rung_for(make_submission: MakeSubmission) -> None:
    make_submission(status=Status.JUDGING, lease_until=Now() + LONG_AGO)
    make_submission(status=Status.DONE)
    make_submission(next_try_at=Now() + LONG_AGO)
    assert wakeup.notify_again(Submission) == 0


def test_profile_requests_are_rung_for_too(make_submission: MakeSubmission, make_result: MakeResult) -> None:
    CaseRerun.objects.of(make_result(make_submission(status=Status.DONE)), examination="profile")
    assert wakeup.notify_again(CaseRerun) == 1


def test_rings_do_not_pile_up(make_submission: MakeSubmission, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wakeup, "MOST_WAKEUPS", 3)
    for _ in range(5):
        make_submission()
    assert [wakeup.notify_again(Submission) for _ in range(3)] == [3, 0, 0]
    assert wakeup.unread_wakeups() == 3


def test_lease_that_ran_out_is_taken_back_and_counted(make_submission: MakeSubmission) -> None:
    submission = make_submission()
    records.claim(Submission.objects.filter(pk=submission.pk), "dead")
    assert reaper.take_back(Submission) == 0
    Submission.objects.update(lease_until=Now() - timedelta(seconds=1))
    assert reaper.take_back(Submission) == 1
    submission.refresh_from_db()
    assert (submission.status, submission.attempt, submission.failures) == (Status.QUEUED, 1, 1)
    assert submission.next_try_at is not None


def test_submission_that_kills_its_workers_gets_a_judge_error(make_submission: MakeSubmission) -> None:
    submission = make_submission()
    for _ in range(3):
        Submission.objects.update(next_try_at=None)
        assert records.claim(Submission.objects.filter(pk=submission.pk), "dying")
        Submission.objects.update(lease_until=Now() - timedelta(seconds=1))
        reaper.take_back(Submission)
    submission.refresh_from_db()
    assert (submission.status, submission.verdict) == (Status.DONE, "JE")
    assert "its worker dying stopped answering" in submission.judge_message


@pytest.mark.django_db(transaction=True)
def test_two_sweepers_at_once_take_a_row_back_once(make_submission: MakeSubmission, settings: Settings) -> None:
    settings.MAX_ATTEMPTS = 100
    for _ in range(20):
        make_submission(status=Status.JUDGING, attempt=1, lease_until=Now() - timedelta(seconds=1))
    taken: list[int] = []
    start = threading.Barrier(4)

    def sweep() -> None:
        start.wait()
        taken.append(reaper.take_back(Submission))
        connection.close()

    threads = [threading.Thread(target=sweep) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(taken) == 20
    assert set(Submission.objects.values_list("failures", "status")) == {(1, Status.QUEUED)}


@pytest.mark.django_db(transaction=True)
def test_row_that_is_just_being_written_is_left_alone(make_submission: MakeSubmission) -> None:
    make_submission(status=Status.JUDGING, attempt=1, lease_until=Now() - timedelta(seconds=1))
    taken: list[int] = []

    def sweep() -> None:
        taken.append(reaper.take_back(Submission))
        connection.close()

    with transaction.atomic():
        Submission.objects.select_for_update().get()
        thread = threading.Thread(target=sweep)
        thread.start()
        thread.join(20)
    assert taken == [0]


def test_stopping_worker_hands_back_what_it_holds_and_nothing_else(make_submission: MakeSubmission) -> None:
    mine, others = make_submission(), make_submission()
    lease = records.claim(Submission.objects.filter(pk=mine.pk), "tally@a/0")
    assert lease is not None
    records.claim(Submission.objects.filter(pk=others.pk), "tally@ab/0")
    assert reaper.hand_back("tally@a") == 1
    mine.refresh_from_db()
    others.refresh_from_db()
    assert (mine.status, mine.failures, others.status) == (Status.QUEUED, 0, Status.JUDGING)
    assert wakeup.unread_wakeups() == 1
    with pytest.raises(LeaseLost), fenced(lease):
        pass
    again = records.claim(Submission.objects.filter(pk=mine.pk), "tally@b/0")
    assert again is not None
    assert again.attempt == 2


@pytest.mark.parametrize("sweep", [lambda: reaper.take_back(Submission), lambda: reaper.hand_back("tally@here")])
def test_rows_are_taken_in_one_order(
    make_submission: MakeSubmission, sweep: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two sweepers that meet never wait for each other in a circle."""
    for _ in range(2):
        make_submission(status=Status.JUDGING, worker="tally@here/0", lease_until=Now() - LONG_AGO)
    first = Submission.objects.earliest("pk")
    first.save()  # its row now lies behind the other
    told: list[int] = []
    monkeypatch.setattr(wakeup, "announce", lambda row, what: told.append(row.pk))
    assert sweep() == 2
    assert told == [first.pk, first.pk + 1]
