"""The caretaker ends a deaf worker at once and lets one with a problem end in good order."""

import os
import signal
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import OperationalError
from django.db.models.functions import Now
from django.utils import timezone

from judge import doorbell, rejudging
from judge.models import Rejudge, Submission, WorkerNode
from judge.rejudge_choice import Choice
from judge.verdicts import Verdict
from judge.workers import nodes, sweeper
from judge.workers.caretaker import DEAF_AFTER_S, EXIT_DEAF, Caretaker, precompile_headers
from problems.models import Problem
from tests.judge.rejudged import judge_all

pytestmark = pytest.mark.django_db
NODE = "tally@test"


class _Ended(BaseException):
    pass


@pytest.fixture
def caretaker(monkeypatch: pytest.MonkeyPatch, redis_server: str) -> Caretaker:
    """A caretaker that has looked after its worker for ten minutes."""

    def end(code: int) -> None:
        raise _Ended(code)

    monkeypatch.setattr(os, "_exit", end)
    monkeypatch.setattr(os, "kill", lambda pid, number: end(-number))
    now = timezone.now()
    WorkerNode.objects.create(name=NODE, started_at=now, last_seen_at=now)
    caretaker = Caretaker(NODE)
    caretaker._hearing_since -= 600
    return caretaker


def test_the_builder_of_headers_is_started_and_its_failure_is_only_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(settings, "WORK_DIR", tmp_path / "file" / "work")
    precompile_headers()
    assert "without a precompiled header" in caplog.text


def test_worker_that_was_seen_goes_on(caretaker: Caretaker) -> None:
    caretaker._look_around()


def test_deaf_worker_ends_at_once(caretaker: Caretaker) -> None:
    WorkerNode.objects.update(last_seen_at=Now() - timedelta(seconds=DEAF_AFTER_S + 1))
    with pytest.raises(_Ended, match=str(EXIT_DEAF)):
        caretaker._look_around()


def test_silence_counts_only_while_the_database_answers(caretaker: Caretaker, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OperationalError("the database is starting")

    monkeypatch.setattr(sweeper, "sweep", fail)
    WorkerNode.objects.update(last_seen_at=Now() - timedelta(seconds=DEAF_AFTER_S + 1))
    caretaker._look_around()


def test_part_that_fails_keeps_no_other_from_being_done(caretaker: Caretaker, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError("no space left")

    for module, name in ((sweeper, "sweep"), (rejudging, "carry_out_interrupted")):
        monkeypatch.setattr(module, name, fail)
    WorkerNode.objects.update(last_seen_at=Now() - timedelta(seconds=DEAF_AFTER_S + 1))
    with pytest.raises(_Ended, match=str(EXIT_DEAF)):
        caretaker._look_around()


def test_who_has_waited_for_long_is_brought_forward(
    caretaker: Caretaker, make_submission: Callable[..., Submission]
) -> None:
    make_submission(user=User.objects.create_user("other"), turn=2)
    late = make_submission(turn=7, created_at=timezone.now() - timedelta(minutes=3))
    caretaker._look_around()
    late.refresh_from_db()
    assert late.turn == 2


def test_silence_counts_only_while_redis_answers(caretaker: Caretaker, monkeypatch: pytest.MonkeyPatch) -> None:
    WorkerNode.objects.update(last_seen_at=Now() - timedelta(seconds=DEAF_AFTER_S + 1))
    monkeypatch.setattr(doorbell, "send_heartbeat", lambda node: False)
    caretaker._look_around()


def test_worker_with_a_problem_stops_in_good_order(caretaker: Caretaker) -> None:
    WorkerNode.objects.update(problem="the disk is full")
    with pytest.raises(_Ended, match=str(-signal.SIGTERM)):
        caretaker._look_around()


def test_worker_that_was_told_to_stop_is_not_told_again(caretaker: Caretaker) -> None:
    nodes.stopping(NODE)
    caretaker._look_around()


def test_what_is_left_of_an_applied_rejudge_is_carried_out(
    caretaker: Caretaker, make_judged: Callable[..., Submission], problem: Problem, teacher: User
) -> None:
    submission = make_judged()
    rejudge = rejudging.start(problem, Choice(), by=teacher, reason="r")
    judge_all(rejudge, Verdict.TLE)
    Rejudge.objects.update(applied_at=Now())
    caretaker._look_around()
    submission.refresh_from_db()
    rejudge.refresh_from_db()
    assert submission.verdict == "TLE"
    assert not rejudge.is_being_applied
