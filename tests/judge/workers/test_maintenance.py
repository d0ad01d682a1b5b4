"""Maintenance ends a deaf worker at once and lets one with a problem end in good order."""

import os
import signal
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import OperationalError
from django.db.models.functions import Now
from django.utils import timezone

from judge import removal
from judge.grading.verdicts import Verdict
from judge.models import Rejudge, Removal, Status, Submission, WorkerNode
from judge.queue import capability, wakeup
from judge.rejudging import rejudging
from judge.rejudging.selection import Filter
from judge.workers import reaper, registration
from judge.workers.worker import DEAF_AFTER_S, EXIT_DEAF, Maintenance, precompile_headers
from problems.models import Problem
from tests.judge.rejudging.rejudged import judge_all
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db
NODE = "tally@test"


class _Ended(BaseException):
    pass


@pytest.fixture
def keeper(monkeypatch: pytest.MonkeyPatch, redis_server: str) -> Maintenance:
    """Maintenance that has looked after its worker for ten minutes."""

    def end(code: int) -> None:
        raise _Ended(code)

    monkeypatch.setattr(os, "_exit", end)
    monkeypatch.setattr(os, "kill", lambda pid, number: end(-number))
    now = timezone.now()
    WorkerNode.objects.create(name=NODE, started_at=now, last_seen_at=now)
    keeper = Maintenance(NODE)
    keeper._hearing_since -= 600
    return keeper


def test_the_builder_of_headers_is_started_and_its_failure_is_only_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(settings, "WORK_DIR", tmp_path / "file" / "work")
    precompile_headers()
    assert "without a precompiled header" in caplog.text


def look_around(keeper: Maintenance, caplog: pytest.LogCaptureFixture) -> list[str]:
    """Let the worker's maintenance make one round, which ends nothing, and return what it logs."""
    caplog.clear()
    keeper._look_around()
    return [record.getMessage() for record in caplog.records]


def test_worker_that_was_seen_goes_on(
    keeper: Maintenance, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    nodes: list[str] = []

    def send_heartbeat(node: str) -> bool:
        nodes.append(node)
        return True

    monkeypatch.setattr(wakeup, "send_heartbeat", send_heartbeat)
    assert look_around(keeper, caplog) == []
    assert nodes == [NODE]


def test_deaf_worker_ends_at_once(keeper: Maintenance) -> None:
    WorkerNode.objects.update(last_seen_at=Now() - timedelta(seconds=DEAF_AFTER_S + 1))
    with pytest.raises(_Ended, match=str(EXIT_DEAF)):
        keeper._look_around()


@pytest.mark.django_db(transaction=True)  # what does not answer is closed, and a transaction with it
def test_silence_counts_only_while_the_database_answers(
    keeper: Maintenance, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise OperationalError("the database is starting")

    WorkerNode.objects.update(last_seen_at=Now() - timedelta(seconds=DEAF_AFTER_S + 1))
    with monkeypatch.context() as away:
        away.setattr(reaper, "sweep", fail)
        assert look_around(keeper, caplog) == ["the database does not answer: the database is starting"]
    assert look_around(keeper, caplog) == []  # it answers again, but not for long enough
    keeper._hearing_since -= DEAF_AFTER_S
    with pytest.raises(_Ended, match=str(EXIT_DEAF)):
        keeper._look_around()


def test_part_that_fails_keeps_no_other_from_being_done(keeper: Maintenance, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError("no space left")

    for module, name in ((reaper, "sweep"), (rejudging, "carry_out_interrupted")):
        monkeypatch.setattr(module, name, fail)
    WorkerNode.objects.update(last_seen_at=Now() - timedelta(seconds=DEAF_AFTER_S + 1))
    with pytest.raises(_Ended, match=str(EXIT_DEAF)):
        keeper._look_around()


def test_who_has_waited_for_long_is_brought_forward(
    keeper: Maintenance, make_submission: Callable[..., Submission]
) -> None:
    make_submission(user=User.objects.create_user("other"), turn=2)
    late = make_submission(turn=7, created_at=timezone.now() - timedelta(minutes=3))
    keeper._look_around()
    late.refresh_from_db()
    assert late.turn == 2


def test_silence_counts_only_while_redis_answers(
    keeper: Maintenance, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    WorkerNode.objects.update(last_seen_at=Now() - timedelta(seconds=DEAF_AFTER_S + 1))
    monkeypatch.setattr(wakeup, "send_heartbeat", lambda node: False)
    assert look_around(keeper, caplog) == []
    keeper._hearing_since -= DEAF_AFTER_S
    with pytest.raises(_Ended, match=str(EXIT_DEAF)):
        keeper._look_around()


def test_worker_with_a_problem_stops_in_good_order(keeper: Maintenance) -> None:
    WorkerNode.objects.update(problem="the disk is full")
    with pytest.raises(_Ended, match=str(-signal.SIGTERM)):
        keeper._look_around()


def test_worker_that_a_restored_database_does_not_know_stops_to_register_again(keeper: Maintenance) -> None:
    WorkerNode.objects.all().delete()
    with pytest.raises(_Ended, match=str(-signal.SIGTERM)):
        keeper._look_around()


class _Sick:
    """A probe that found something."""

    def look(self) -> str:
        return "The kernel is full. Restart this host."


def test_worker_whose_host_falls_sick_says_so_and_others_get_its_work_at_once(
    keeper: Maintenance, make_submission: Callable[..., Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    lease = timezone.now() + timedelta(minutes=5)
    mine = make_submission(status=Status.JUDGING, worker=f"{NODE}/1", attempt=1, lease_until=lease)
    others = make_submission(status=Status.JUDGING, worker="tally@test2/0", attempt=1, lease_until=lease)
    monkeypatch.setattr(capability, "FRESH_S", 0.01)
    monkeypatch.setattr(keeper, "_probe", _Sick())
    with pytest.raises(_Ended, match=str(-signal.SIGTERM)):
        keeper._look_around()
    node = WorkerNode.objects.get()
    assert (node.is_sick, node.problem) == (True, f"{WorkerNode.SICK}The kernel is full. Restart this host.")
    mine.refresh_from_db()
    others.refresh_from_db()
    assert (mine.status, mine.next_try_at, mine.failures) == (Status.QUEUED, None, 1)  # it may be what made it sick
    assert mine.last_failure == "its worker's host fell sick: The kernel is full. Restart this host."
    assert (others.status, others.failures) == (Status.JUDGING, 0)


def test_submission_that_was_on_three_hosts_as_they_fell_sick_is_given_up(
    make_submission: Callable[..., Submission], redis_server: str
) -> None:
    lease = timezone.now() + timedelta(minutes=5)
    submission = make_submission(status=Status.JUDGING, worker=f"{NODE}/0", attempt=3, failures=2, lease_until=lease)
    assert reaper.take_away(NODE, "It is full.") == 1
    submission.refresh_from_db()
    assert (submission.status, submission.verdict) == (Status.DONE, "JE")


@pytest.mark.thorough
def test_host_is_tried_for_real_after_a_while(keeper: Maintenance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "PROBE_EVERY_S", 0)
    keeper._look_around()
    probe = keeper._probe
    assert probe is not None
    keeper._look_at_host()
    assert probe._process is not None
    assert "--counts" in probe._command  # its row has no problem of the meter
    wait_for(lambda: probe._process is not None and probe._process.poll() is not None, "the probe has answered")
    keeper._look_at_host()
    assert not WorkerNode.objects.get().problem


def test_worker_that_was_told_to_stop_is_not_told_again(keeper: Maintenance, caplog: pytest.LogCaptureFixture) -> None:
    registration.stopping(NODE)
    assert look_around(keeper, caplog) == []
    node = WorkerNode.objects.get()
    assert node.is_stopped
    assert not node.is_unfit


def test_what_is_left_of_an_applied_rejudge_is_carried_out(
    keeper: Maintenance, make_judged: Callable[..., Submission], problem: Problem, teacher: User
) -> None:
    submission = make_judged()
    rejudge = rejudging.start(problem, Filter(), by=teacher, reason="r")
    judge_all(rejudge, Verdict.TLE)
    Rejudge.objects.update(applied_at=Now())
    keeper._look_around()
    submission.refresh_from_db()
    rejudge.refresh_from_db()
    assert submission.verdict == "TLE"
    assert not rejudge.is_being_applied


def test_what_is_left_of_a_removed_account_is_deleted(
    keeper: Maintenance, make_submission: Callable[..., Submission]
) -> None:
    submission = make_submission(status=Status.DONE)
    removal.begin(submission.user, None)
    keeper._look_around()
    assert not Submission.objects.exists()
    assert not Removal.objects.exists()


@pytest.mark.parametrize(("late_s", "looked"), [(90.0, 0), (0.5, 1)])
def test_a_round_that_comes_much_too_late_is_left_out(
    keeper: Maintenance, monkeypatch: pytest.MonkeyPatch, late_s: float, looked: int
) -> None:
    """This process was stopped: its own lease and everybody's heartbeats are old, and all that is nobody's fault."""
    rounds: list[None] = []
    now_s = time.monotonic()

    class Waits:
        turns = 0

        def wait(self, timeout_s: float) -> bool:
            nonlocal now_s
            self.turns += 1
            now_s += timeout_s + late_s
            return self.turns > 1

    monkeypatch.setattr("judge.workers.worker.precompile_headers", lambda: None)
    monkeypatch.setattr("judge.workers.worker.time.monotonic", lambda: now_s)
    monkeypatch.setattr(keeper, "_stopped", Waits())
    monkeypatch.setattr(keeper, "_look_around", lambda: rounds.append(None))
    keeper.run()
    assert len(rounds) == looked
    assert (now_s - keeper._hearing_since < 2 * (late_s + settings.SWEEP_EVERY_S)) is (looked == 0)
