"""A worker whose jails open no more takes no work, another one gets what it had, and it comes back when it is well."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from judge.models import Status, Submission, WorkerNode
from judge.submissions import intake
from problems.management.commands.load_library import LIBRARY
from problems.models import Problem
from problems.store.publishing import publish
from sandbox.cgroups.cgroup import ControlGroups
from sandbox.jail.leftovers import remove_leftovers
from tests.judge.workers.real_workers import Worker, set_up_workers

pytestmark = [
    pytest.mark.jail,
    pytest.mark.thorough,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(300),
    pytest.mark.usefixtures("silent_wakeup", "every_send_counts"),
]
SUM = b"print(sum(map(int, input().split())))\n"
SLOW_SUM = b"import time\na, b = map(int, input().split())\ntime.sleep(2)\nprint(a + b)\n"
FRAIL, STURDY = "tally@frail", "tally@sturdy"


@pytest.fixture
def problem(db: None) -> Problem:
    """A real problem with its package in the store."""
    return publish(LIBRARY / "sumoftwo", owner=None).problem


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that jails can reach, for the work folders of two workers."""
    Path("/var/lib/tally").mkdir(exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix="test-sick-", dir="/var/lib/tally"))
    made.chmod(0o755)
    yield made
    for work in made.iterdir():
        remove_leftovers(work)  # a worker that is stopped beside a case leaves its jail to the next one
        ControlGroups(work).close()
    shutil.rmtree(made)


@pytest.fixture
def workers(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Worker, Worker]]:
    """Two that are not started yet: the work folder of the first is `frail`."""
    set_up_workers(
        monkeypatch, TALLY_SWEEP_EVERY_S="1", TALLY_PROBE_EVERY_S="1", TALLY_STOP_GRACE_S="1", TALLY_SELF_TEST="1"
    )
    with ExitStack() as stack:

        def make(name: str) -> Worker:
            work = place / name.removeprefix("tally@")
            work.mkdir(mode=0o711)
            worker = Worker(tmp_path / f"{name}.log", name, 1, TALLY_WORK_DIR=str(work))
            stack.callback(worker.stop)
            return worker

        yield make(FRAIL), make(STURDY)


def test_jails_that_open_no_more_make_a_worker_sick_until_they_do(
    workers: tuple[Worker, Worker], place: Path, problem: Problem, student: User
) -> None:
    frail, sturdy = workers
    frail.start()
    slow = intake.submit(student, problem, "python", SLOW_SUM)
    frail.wait_for(lambda: slow.results.exists(), "a case of it is judged")
    sturdy.start()
    (place / "frail").chmod(0o700)  # its open jails go on, no further one opens
    frail.wait_for(lambda: _node().is_sick, "it says that it is sick")
    assert "cgroup" not in _node().problem
    sturdy.wait_for(lambda: _is_done(slow), "the other one has judged it")
    assert (slow.verdict, slow.worker, slow.failures) == ("AC", f"{STURDY}/0", 1)
    pid = frail.pid
    frail.wait_for(lambda: frail.is_running and frail.pid != pid, "it was started again")
    _check_all_by(STURDY, sturdy, problem, student)
    frail.wait_for(lambda: _node().is_sick, "it still says so, after its own test")
    (place / "frail").chmod(0o711)
    frail.wait_for(WorkerNode.objects.alive().filter(name=FRAIL).exists, "it takes work again")
    sturdy.stop()
    _check_all_by(FRAIL, frail, problem, student)


def _check_all_by(name: str, worker: Worker, problem: Problem, student: User) -> None:
    """What is sent now is judged by the worker of this name alone."""
    sent = [intake.submit(student, problem, "python", SUM) for _ in range(3)]
    worker.wait_for(lambda: all(map(_is_done, sent)), "all are judged")
    assert {(each.verdict, each.worker, each.failures) for each in sent} == {("AC", f"{name}/0", 0)}


def _node() -> WorkerNode:
    return WorkerNode.objects.get(name=FRAIL)


def _is_done(submission: Submission) -> bool:
    submission.refresh_from_db()
    return submission.status == Status.DONE
