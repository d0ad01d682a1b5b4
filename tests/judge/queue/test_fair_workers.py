"""The queue's promises, with real workers on the real jail: who goes first, who can, and who is told."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db.models import Max
from pytest_django import Settings

from judge.models import Status, Submission, TestCaseResult, WorkerNode
from judge.queue import wakeup
from judge.submissions import intake
from problems.management.commands.load_library import LIBRARY
from problems.models import Problem
from problems.store.publishing import publish
from tests.judge.workers.real_workers import Worker, set_up_workers

pytestmark = [
    pytest.mark.jail,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(180),
    pytest.mark.usefixtures("silent_wakeup"),
]
# Longer than GATHER_S: each case is written as it ends, not with the next one.
SLOW_SUM = b"import time\na, b = map(int, input().split())\ntime.sleep(0.3)\nprint(a + b)\n"
SUM = b"print(sum(map(int, input().split())))\n"
CASES = 12

StartWorker = Callable[[str, int], Worker]


@pytest.fixture
def problem(db: None) -> Problem:
    """A real problem with its package in the store."""
    return publish(LIBRARY / "sumoftwo", owner=None).problem


@pytest.fixture
def start_worker(tmp_path: Path, problem: Problem, monkeypatch: pytest.MonkeyPatch) -> Iterator[StartWorker]:
    """A function that starts a worker of this name with so many processes. None of them sweeps during a test."""
    set_up_workers(monkeypatch, TALLY_SWEEP_EVERY_S="600", TALLY_STOP_GRACE_S="1")
    with ExitStack() as stack:

        def start(name: str, processes: int) -> Worker:
            worker = Worker(tmp_path / f"{name}.log", name, processes)
            stack.callback(worker.stop)
            worker.start()
            return worker

        yield start


def test_single_submission_waits_for_one_case_of_a_flood_at_most(
    start_worker: StartWorker, student: User, problem: Problem, settings: Settings
) -> None:
    settings.MAX_IN_FLIGHT_PER_USER = 100
    flood = [intake.submit(student, problem, "python", SLOW_SUM + b"#" * number) for number in range(60)]
    worker = start_worker("tally@test", 1)
    worker.wait_for(lambda: flood[0].results.count() >= 2, "two cases of the first are judged")
    single = intake.submit(User.objects.create_user("other"), problem, "python", SUM)
    written = TestCaseResult.objects.aggregate(last=Max("pk"))["last"]
    worker.wait_for(lambda: _is_done(single) and _is_done(flood[0]), "the single one and the first are judged")
    Submission.objects.filter(status=Status.QUEUED).delete()
    first_result = single.results.order_by("pk")[0].pk
    between = TestCaseResult.objects.filter(pk__gt=written, pk__lt=first_result)
    assert [case.submission_id for case in between] in ([], [flood[0].pk])
    assert flood[0].results.filter(pk__gt=single.results.latest("pk").pk).exists()  # it went on after that
    assert single.finished_at is not None
    assert flood[0].finished_at is not None
    assert single.finished_at < flood[0].finished_at
    _check_one_verdict(single)
    _check_one_verdict(flood[0])
    assert single.worker == flood[0].worker


@pytest.mark.thorough
def test_worker_without_the_language_hears_of_it_and_another_one_judges_it(
    start_worker: StartWorker, student: User, problem: Problem, make_sent: Callable[[], Submission]
) -> None:
    start_worker("tally@without", 1)
    worker = start_worker("tally@with", 1)
    WorkerNode.objects.filter(name="tally@without").update(languages={"cpp": "here"})
    submissions = [make_sent() for _ in range(3)]
    assert wakeup.notify(submissions[0], "tally@without")
    worker.wait_for(lambda: all(map(_is_done, submissions)), "all are judged")
    for submission in submissions:
        _check_one_verdict(submission)
        assert (submission.worker.split("/")[0], submission.failures) == ("tally@with", 0)


@pytest.mark.thorough
def test_ten_rings_for_a_submission_come_to_one_verdict(
    start_worker: StartWorker, make_sent: Callable[[], Submission]
) -> None:
    submission = make_sent()
    worker = start_worker("tally@test", 2)
    for _ in range(10):
        assert wakeup.notify(submission)
    worker.wait_for(
        lambda: _is_done(submission) and wakeup.unread_wakeups() == 0, "it is judged and no wake-up is left"
    )
    last = make_sent()  # what is heard after it has found nothing to do
    assert wakeup.notify(last)
    worker.wait_for(lambda: _is_done(last), "the last one is judged")
    _check_one_verdict(submission)


@pytest.fixture
def make_sent(student: User, problem: Problem) -> Callable[[], Submission]:
    """A function that inserts a submission that nobody rings for."""

    def make() -> Submission:
        assert problem.current_version is not None
        return Submission.objects.create(
            user=student, problem=problem, problem_version=problem.current_version, language="python", source=SUM
        )

    return make


def _is_done(submission: Submission) -> bool:
    submission.refresh_from_db()
    return submission.is_done


def _check_one_verdict(submission: Submission) -> None:
    submission.refresh_from_db()
    assert (submission.verdict, submission.attempt) == ("AC", 1), submission.judge_message
    results = list(submission.results.values_list("position", "attempt", "verdict"))
    assert results == [(position, 1, "AC") for position in range(CASES)]


@pytest.mark.thorough
def test_nobody_counts_on_a_worker_that_was_told_to_stop(start_worker: StartWorker) -> None:
    worker = start_worker("tally@test", 1)
    worker.stop()
    node = WorkerNode.objects.get()
    assert node.is_stopped, (node.problem, worker.said)
    assert not WorkerNode.objects.alive().exists()
