"""A worker's process keeps its database connection from one submission to the next, and survives losing it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection

from judge.models import Status, Submission
from judge.submissions import intake
from problems.management.commands.load_library import LIBRARY
from problems.models import Problem
from problems.store.publishing import publish
from tests.judge.workers.real_workers import Worker, set_up_workers

pytestmark = [pytest.mark.jail, pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]
_SERVED = """
SELECT pid FROM pg_stat_activity
WHERE datname = current_database() AND application_name LIKE 'tally@test, slot %'
"""
RIGHT = b"a, b = map(int, input().split())\nprint(a + b)\n"


@pytest.fixture
def worker(tmp_path: Path, redis_server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    """With one process."""
    set_up_workers(monkeypatch)
    worker = Worker(tmp_path / "worker.log", processes=1)
    worker.start()
    yield worker
    worker.stop()


@pytest.fixture
def problem() -> Problem:
    """One to submit to."""
    return publish(LIBRARY / "sumoftwo", owner=None).problem


@pytest.mark.thorough
def test_connection_is_kept_from_one_submission_to_the_next(worker: Worker, problem: Problem, student: User) -> None:
    _judge(worker, problem, student)
    kept = _connections()
    for _ in range(2):
        _judge(worker, problem, student)
    assert kept & _connections()


@pytest.mark.thorough
def test_connection_that_the_database_closed_is_opened_anew(worker: Worker, problem: Problem, student: User) -> None:
    _judge(worker, problem, student)
    with connection.cursor() as cursor:
        for pid in _connections():
            cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
    assert _judge(worker, problem, student).failures == 0


def _judge(worker: Worker, problem: Problem, student: User) -> Submission:
    submission = intake.submit(student, problem, "python", RIGHT)
    rows = Submission.objects.filter(pk=submission.pk, status=Status.DONE)
    worker.wait_for(rows.exists, "the submission is judged")
    return rows.get()


def _connections() -> set[int]:
    """The processes of PostgreSQL that serve a process of a worker on the tests' database."""
    with connection.cursor() as cursor:
        cursor.execute(_SERVED)
        return {pid for (pid,) in cursor.fetchall()}
