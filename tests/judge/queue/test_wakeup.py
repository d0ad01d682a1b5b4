"""Notifications work in every process, and their failures stay inside the module."""

import os
from collections.abc import Callable

import pytest

from judge.models import Status, Submission
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
    before = wakeup.unread_wakeups()
    assert before is not None
    assert wakeup.notify(Submission(pk=1))
    assert _ring_in_a_child(Submission(pk=2)) == 0
    assert wakeup.notify(Submission(pk=3))
    assert wakeup.unread_wakeups() == before + 3


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
    assert wakeup.unread_wakeups() is None
    wakeup.announce(submission, "judging")
    assert caplog.text.count("RuntimeError: Acquire on closed pool") == 4
    assert Submission.objects.get().status == Status.QUEUED
