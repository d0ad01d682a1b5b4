"""A real worker on the real jail, killed and cut off in the middle of a grading: one verdict, without a hand."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection

from judge import doorbell, intake
from judge.models import Status, Submission
from problems.management.commands.load_library import LIBRARY
from problems.models import Problem
from problems.publishing import publish
from tests.judge.workers import Worker, set_up_workers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]
SLOW_SUM = b"import time\na, b = map(int, input().split())\ntime.sleep(0.3)\nprint(a + b)\n"
CASES = 12


class OwnServer(Protocol):
    """The fixtures `breakable_redis` and `breakable_postgres`."""

    def start(self) -> str: ...

    def stop(self) -> None: ...


@pytest.fixture
def problem(db: None) -> Problem:
    """A real problem with its package in the store."""
    return publish(LIBRARY / "sumoftwo", owner=None).problem


@pytest.fixture
def worker(tmp_path: Path, problem: Problem, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    """A running worker that sweeps every second, on the tests' database."""
    set_up_workers(monkeypatch, TALLY_LEASE_S="6", TALLY_SWEEP_EVERY_S="1", TALLY_STOP_GRACE_S="1")
    worker = Worker(tmp_path / "worker.log")
    try:
        worker.start()
        yield worker
    finally:
        worker.stop()


def test_same_ring_twice_is_graded_once(worker: Worker, student: User, problem: Problem) -> None:
    submission = _submit(student, problem)
    for _ in range(3):
        assert doorbell.ring(submission)
    worker.wait_for(lambda: _is_done(submission))
    _check_one_verdict(submission, attempt=1)
    time.sleep(1)
    _check_one_verdict(submission, attempt=1)


def test_worker_told_to_stop_hands_its_work_back_at_no_cost(worker: Worker, student: User, problem: Problem) -> None:
    submission = _submit(student, problem)
    worker.wait_for(lambda: submission.results.count() >= 2)
    worker.stop()
    submission.refresh_from_db()
    assert (submission.status, submission.failures) == (Status.QUEUED, 0)
    worker.wait_for(lambda: _is_done(submission))
    _check_one_verdict(submission, attempt=2)


@pytest.mark.parametrize("whom", ["a process of the pool", "the main process"])
def test_killed_worker_leaves_one_verdict_and_nothing_else(
    worker: Worker, student: User, problem: Problem, whom: str
) -> None:
    submission = _submit(student, problem)
    worker.wait_for(lambda: submission.results.count() >= 2)
    below = _descendants(worker.pid)
    grading = next(pid for pid in _children(worker.pid) if _children(pid))
    os.kill(worker.pid if whom == "the main process" else grading, signal.SIGKILL)
    gone_with_it = {*_descendants_in(below, worker.pid if whom == "the main process" else grading)}
    assert len(gone_with_it) >= 3  # the process, nsjail, its init
    deadline = time.monotonic() + 10
    while any(map(_is_running, gone_with_it)):
        assert time.monotonic() < deadline, "something of the run outlived it by 10 s"
        time.sleep(0.1)
    worker.wait_for(lambda: _is_done(submission))
    _check_one_verdict(submission, attempt=2)
    assert submission.failures == 1
    worker.wait_for(lambda: not _leftover_folders())


def test_postgres_that_restarts_during_a_grading_costs_nothing(
    worker: Worker, student: User, problem: Problem, breakable_postgres: OwnServer
) -> None:
    submission = _submit(student, problem)
    worker.wait_for(lambda: submission.results.count() >= 2)
    connection.close()
    breakable_postgres.stop()
    time.sleep(1)
    breakable_postgres.start()
    worker.wait_for(lambda: _is_done(submission))
    _check_one_verdict(submission)


def test_redis_that_restarts_empty_costs_nothing(
    worker: Worker, student: User, problem: Problem, breakable_redis: OwnServer
) -> None:
    breakable_redis.stop()
    submission = _submit(student, problem)
    time.sleep(1)
    breakable_redis.start()
    worker.wait_for(lambda: _is_done(submission))
    _check_one_verdict(submission, attempt=1)


def _submit(student: User, problem: Problem) -> Submission:
    return intake.submit(student, problem, "python", SLOW_SUM)


def _is_done(submission: Submission) -> bool:
    submission.refresh_from_db()
    return submission.status == Status.DONE


def _check_one_verdict(submission: Submission, attempt: int | None = None) -> None:
    submission.refresh_from_db()
    assert submission.verdict == "AC", submission.judge_message
    results = list(submission.results.values_list("position", "attempt", "verdict"))
    assert results == [(position, submission.attempt, "AC") for position in range(CASES)]
    assert attempt in (None, submission.attempt)


def _leftover_folders() -> list[Path]:
    return [*settings.WORK_DIR.glob("jail-*"), *settings.WORK_DIR.glob("slot-*/*-*")]


def _children(pid: int) -> list[int]:
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(child) for thread in threads for child in (thread / "children").read_text().split()]
    except OSError:
        return []


def _descendants(pid: int) -> dict[int, list[int]]:
    """The whole tree below a process: its children by process."""
    tree = {pid: _children(pid)}
    for child in tree[pid]:
        tree.update(_descendants(child))
    return tree


def _descendants_in(tree: dict[int, list[int]], pid: int) -> Iterator[int]:
    yield pid
    for child in tree.get(pid, []):
        yield from _descendants_in(tree, child)


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
