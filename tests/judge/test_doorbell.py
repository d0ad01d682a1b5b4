"""Ringing works in every process, and whatever goes wrong in it stays in it."""

import sys
from collections.abc import Callable

import billiard  # type: ignore[import-untyped]
import pytest

from judge import doorbell
from judge.models import Status, Submission

pytestmark = pytest.mark.usefixtures("silent_doorbell")
MakeSubmission = Callable[..., Submission]


def _ring_in_a_child(work: Submission) -> None:
    sys.exit(0 if doorbell.ring(work) else 1)


def test_process_that_celery_forks_after_the_first_ring_can_ring() -> None:
    forked = billiard.get_context("fork")
    before = doorbell.ringing()
    assert before is not None
    assert doorbell.ring(Submission(pk=1))
    child = forked.Process(target=_ring_in_a_child, args=(Submission(pk=2),))
    child.start()
    child.join(30)
    assert child.exitcode == 0
    assert doorbell.ring(Submission(pk=3))
    assert doorbell.ringing() == before + 3


@pytest.mark.django_db
def test_whatever_goes_wrong_at_the_bell_stays_there(
    make_submission: MakeSubmission, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("Acquire on closed pool")

    monkeypatch.setattr(doorbell, "_bell_ropes", fail)
    monkeypatch.setattr(doorbell, "_client", fail)
    submission = make_submission()
    assert doorbell.ring(submission) is False
    assert doorbell.send_heartbeat("tally@test") is False
    assert doorbell.ringing() is None
    doorbell.announce(submission, "judging")
    assert caplog.text.count("RuntimeError: Acquire on closed pool") == 4
    assert Submission.objects.get().status == Status.QUEUED
