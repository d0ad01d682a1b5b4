"""Notifications work in every process, and their failures stay inside the module."""

import os
from collections.abc import Callable

import pytest

from judge.models import CaseRerun, Status, Submission
from judge.queue import wakeup

pytestmark = pytest.mark.usefixtures("silent_wakeup")
MakeSubmission = Callable[..., Submission]


def _ring_in_a_child(work: Submission) -> int:
    """As Celery makes its processes: by a fork, after which this one's connections are not to be used."""
    child = os.fork()
    if not child:
        try:
            os._exit(0 if wakeup.notify(work) else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_process_that_celery_forks_after_the_first_ring_can_ring() -> None:
    before = wakeup.pending_wakeups()
    assert before is not None
    assert wakeup.notify(Submission(pk=1))
    assert _ring_in_a_child(Submission(pk=2)) == 0
    assert wakeup.notify(Submission(pk=3))
    assert wakeup.pending_wakeups() == before + 3


def test_next_notification_is_taken_once_and_only_if_it_is_of_the_kind() -> None:
    assert not wakeup.take(Submission)
    for work in (Submission(pk=1), CaseRerun(pk=2), Submission(pk=3)):
        assert wakeup.notify(work)
    assert wakeup.take(Submission)
    assert not wakeup.take(Submission)  # the rerun's is next, and Celery's to hand out
    assert wakeup.take(CaseRerun)
    assert wakeup.take(Submission)
    assert wakeup.pending_wakeups() == 0


@pytest.mark.parametrize("message", ["no JSON", "7", "[]", '{"headers": null}', "[" * 100_000])
def test_message_that_no_process_understands_is_left_to_the_transport(message: str) -> None:
    with wakeup._client() as client:
        client.lpush("grading", message)
    assert not wakeup.take(Submission)
    assert wakeup.pending_wakeups() == 1


@pytest.mark.django_db
def test_whatever_goes_wrong_at_the_bell_stays_there(
    make_submission: MakeSubmission, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("Acquire on closed pool")

    monkeypatch.setattr(wakeup, "_broker_pools", fail)
    monkeypatch.setattr(wakeup, "_client", fail)
    submission = make_submission()
    assert wakeup.notify(submission) is False
    assert wakeup.send_heartbeat("tally@test") is False
    assert wakeup.pending_wakeups() is None
    assert wakeup.take(Submission) is False
    wakeup.announce(submission, "judging")
    assert caplog.text.count("RuntimeError: Acquire on closed pool") == 5
    assert Submission.objects.get().status == Status.QUEUED
