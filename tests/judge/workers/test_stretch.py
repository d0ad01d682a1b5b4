"""A process goes from submission to submission, and a second thread writes the verdict of the one before."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from django.db import connections
from django.utils import timezone

from judge.grading.events import CompileFinished, Event, GradingFinished, GradingJob
from judge.grading.stages import Stage
from judge.grading.submission import grading
from judge.grading.verdicts import Verdict
from judge.models import Status, Submission, WorkerNode
from judge.queue import leases, wakeup
from judge.workers import tasks, turns
from problems.store.store import PackageStore
from sandbox.errors import JailError
from sandbox.types import Sandbox
from tests.judge.conftest import SubmissionMaker, cut_off
from tests.judge.packages import make_package
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db(transaction=True)
NODE = socket.gethostname()  # what Celery calls the node of a task that is applied in place
PATIENCE_S = 20.0
Step = Callable[[], object]  # what a program's compilation does
Sender = Callable[[Step | None], Submission]


class Grading:
    """Stands in for the grading core: notes what happens, and takes each program's step from the test."""

    def __init__(self) -> None:
        self.steps: dict[bytes, Step] = {}
        self.closing: Step = lambda: None  # the first program's jails
        self.noted: list[str] = []
        self.closed_by: list[str] = []  # threads

    def grade(self, job: GradingJob, _sandbox: Sandbox, _work_root: Path) -> Iterator[Event]:
        """Yield the events of an accepted program."""
        name = job.source.decode()
        self.steps[job.source]()
        yield CompileFinished(ok=True, message="", wall_time_us=1, toolchain="Python", cases=0)
        self.noted.append(f"{name} graded")
        try:
            yield GradingFinished(verdict=Verdict.AC, explanation=())
            if name == "1":
                self.closing()
        finally:
            self.noted.append(f"{name} closed")
            self.closed_by.append(threading.current_thread().name)


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch) -> Grading:
    made = Grading()
    monkeypatch.setattr(grading, "grade", made.grade)
    return made


@pytest.fixture(autouse=True)
def _worker(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch, redis_server: str, tmp_path: Path
) -> Iterator[None]:
    """A worker with a row, which has all the time it needs and leaves no connection behind."""
    monkeypatch.setattr(turns, "STRETCH_S", 600.0)
    package = make_package(tmp_path)
    WorkerNode.objects.create(name=NODE, started_at=timezone.now(), last_seen_at=timezone.now())
    monkeypatch.setattr(PackageStore, "open", lambda store, digest: replace(package, digest=digest))
    yield
    turns._second_thread().submit(connections.close_all).result()


@pytest.fixture
def send(make_submission: SubmissionMaker, core: Grading, silent_wakeup: None) -> Sender:
    """A function that queues a submission whose compilation does this, and notifies workers of it."""

    def queue(step: Step | None) -> Submission:
        source = str(len(core.steps) + 1).encode()
        core.steps[source] = step or (lambda: None)
        submission = make_submission(source=source)
        assert wakeup.notify(submission)
        return submission

    return queue


def work() -> None:
    """Do what a worker's process does when it is handed a notification."""
    tasks.grade_submission.apply(args=[0], throw=True)


def status(submission: Submission) -> str:
    submission.refresh_from_db()
    return submission.status


def test_process_goes_on_with_what_waits(send: Sender) -> None:
    sent = [send(None) for _ in range(3)]
    work()
    assert [status(each) for each in sent] == [Status.DONE] * 3


def test_process_does_not_go_on_for_ever(send: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = [send(None) for _ in range(3)]
    monkeypatch.setattr(turns, "STRETCH_S", 0.0)
    work()
    assert [status(each) for each in sent] == [Status.DONE, Status.QUEUED, Status.QUEUED]


def test_verdict_is_written_while_the_next_program_is_compiled(send: Sender, core: Grading) -> None:
    first = send(None)
    second = send(
        lambda: wait_for(
            lambda: status(first) == Status.DONE and "1 closed" in core.noted, "the first verdict is written"
        )
    )
    work()
    assert status(second) == Status.DONE
    assert core.noted == ["1 graded", "1 closed", "2 graded", "2 closed"]
    assert core.closed_by == ["verdict_0", threading.main_thread().name]
    assert first.stages[Stage.QUEUE] >= turns.DELAY_S * 1e6  # it stood aside for so long


def test_verdict_waits_for_nobody_if_nobody_comes(send: Sender, core: Grading, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "DELAY_S", 60.0)
    first = send(None)
    second = send(lambda: Submission.objects.filter(pk=first.pk).update(worker="somebody else's"))
    began = time.monotonic()
    work()
    assert time.monotonic() - began < 60
    assert (status(first), status(second)) == (Status.JUDGING, Status.DONE)  # its verdict was void


def test_failure_after_the_verdict_concerns_no_other_submission(send: Sender, core: Grading) -> None:
    is_next_claimed = threading.Event()

    def fail() -> None:
        assert is_next_claimed.wait(PATIENCE_S)  # by then the worker may be told to be unfit
        raise JailError("the control group cannot be removed")

    core.closing = fail
    sent = [send(None), send(is_next_claimed.set)]
    work()
    assert [(status(each), each.verdict, each.failures) for each in sent] == [(Status.DONE, "AC", 0)] * 2
    assert "the control group cannot be removed" in WorkerNode.objects.get().problem


def test_jail_that_stays_after_a_void_verdict_is_told_of_and_concerns_nobody_else(
    send: Sender, core: Grading, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_to_close(job: GradingJob, sandbox: Sandbox, work_root: Path) -> Iterator[Event]:
        with suppress(GeneratorExit):
            yield from core.grade(job, sandbox, work_root)
        if job.source == b"1":
            raise JailError("the control group cannot be removed")

    monkeypatch.setattr(grading, "grade", fail_to_close)
    first = send(lambda: Submission.objects.filter(source=b"1").update(worker="somebody else's"))
    second = send(None)
    work()
    assert (status(first), first.failures) == (Status.JUDGING, 0)
    assert (status(second), second.verdict, second.failures) == (Status.DONE, "AC", 0)


def test_thread_that_fails_concerns_no_other_submission(
    send: Sender, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def finish(*given: object) -> None:
        *_, opened = given
        assert isinstance(opened, ExitStack)
        opened.close()
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(tasks, "_finish", finish)
    sent = [send(None) for _ in range(3)]
    work()
    assert [(status(each), each.failures) for each in sent] == [(Status.JUDGING, 0)] * 2 + [(Status.DONE, 0)]
    assert caplog.messages.count("a verdict was not written") == 2


def test_failure_of_the_next_one_costs_no_verdict(send: Sender) -> None:
    def fail() -> None:
        raise JailError("nsjail died")

    first, second = send(None), send(fail)
    work()
    assert (status(first), first.failures) == (Status.DONE, 0)
    assert (status(second), second.failures) == (Status.QUEUED, 1)


def test_verdict_survives_that_its_connection_was_ended(send: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", None)  # as a worker has it
    monkeypatch.setitem(connections.settings["default"], "CONN_HEALTH_CHECKS", True)
    monkeypatch.setattr(leases, "close_connection", lambda: pytest.fail("the write was tried twice"))
    sent = [send(None) for _ in range(2)]
    work()
    sent += [send(None) for _ in range(2)]
    turns._second_thread().submit(cut_off).result()
    work()
    assert [status(each) for each in sent] == [Status.DONE] * 4
