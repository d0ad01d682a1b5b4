"""A rerun that outlives its limits: its process ends, whatever it does, and its row goes back into the queue."""

import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from judge.grading.events import GradingJob
from judge.models import CaseRerun, Status, Submission
from judge.reruns.kinds import RerunKind
from judge.submissions import intake
from judge.workers import reaper
from judge.workers.turns import deadline, longest_s, standing_still
from problems.management.commands.load_library import LIBRARY
from problems.models import Problem
from problems.store.publishing import publish
from tests.judge.conftest import SubmissionMaker
from tests.judge.packages import make_package
from tests.judge.workers.real_workers import Worker, set_up_workers

SUM = b"print(sum(map(int, input().split())))\n"


def signal_that_ends(act: Callable[[], object]) -> int:
    """Have a child process do it; return the signal that ended it, 0 for none."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        act()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) * -1


def hang() -> None:
    with deadline(0.2):
        re.match(r"(a|a)*b", "a" * 60)  # the interpreter's lock is held all the time


def work_in_between() -> None:
    with deadline(0.3):
        for _ in range(4):
            with standing_still():
                time.sleep(0.2)
    time.sleep(0.5)  # nothing is left of it


def go_on_after_another() -> None:
    with deadline(0.4):
        with deadline(30):
            time.sleep(0.1)
        time.sleep(5)


def test_the_kernel_ends_a_process_that_lets_no_thread_run() -> None:
    assert signal_that_ends(hang) == signal.SIGALRM


def test_other_peoples_work_takes_nothing_of_the_time() -> None:
    assert signal_that_ends(work_in_between) == 0


def test_a_deadline_within_another_does_not_lift_it() -> None:
    assert signal_that_ends(go_on_after_another) == signal.SIGALRM


def test_every_rerun_has_a_deadline_beyond_its_own_limits(tmp_path: Path) -> None:
    job = GradingJob(package=make_package(tmp_path), language="python", source=b"")
    for kind in RerunKind:
        assert 120 < longest_s(kind, job) < 900


def test_rows_of_a_dead_process_are_queued_again(make_submission: SubmissionMaker) -> None:
    dead = make_submission(status=Status.JUDGING, attempt=1, worker="tally@here/1")
    other = make_submission(status=Status.JUDGING, attempt=1, worker="tally@here/11")
    assert reaper.take_back_from("tally@here/1") == 1
    dead.refresh_from_db()
    other.refresh_from_db()
    assert (dead.status, dead.failures, other.status) == (Status.QUEUED, 1, Status.JUDGING)
    assert dead.last_failure == "the process of its worker tally@here/1 ended"


class HangingWorker(Worker):
    """See tests/judge/workers/hanging_worker.py."""

    command = ("-m", "tests.judge.workers.hanging_worker")


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, silent_wakeup: None) -> Iterator[Worker]:
    set_up_workers(monkeypatch, TALLY_SWEEP_EVERY_S="1", TALLY_STOP_GRACE_S="1")
    started = HangingWorker(tmp_path / "worker.log", processes=1)
    started.start()
    yield started
    started.stop()


@pytest.mark.jail
@pytest.mark.timeout(240)
@pytest.mark.django_db(transaction=True)
def test_a_worker_goes_on_after_a_rerun_that_hangs(worker: Worker) -> None:
    problem: Problem = publish(LIBRARY / "sumoftwo", owner=None).problem
    student = User.objects.create_user("student")
    submission = intake.submit(student, problem, "python", SUM)
    worker.wait_for(lambda: Submission.objects.get(pk=submission.pk).is_done, "a verdict")
    case = Submission.objects.get(pk=submission.pk).results.all()[0]
    rerun = intake.request_examination(case, RerunKind.TIMELINE, student)
    worker.wait_for(lambda: CaseRerun.objects.get(pk=rerun.pk).failures == 1, "the rerun is taken from its process")
    after = intake.submit(student, problem, "python", SUM + b"#")
    worker.wait_for(lambda: Submission.objects.get(pk=after.pk).is_done, "the next verdict")
    worker.wait_for(lambda: CaseRerun.objects.get(pk=rerun.pk).is_done, "the rerun is given up")
    rerun.refresh_from_db()
    assert "error of ours" in rerun.problem
    assert Submission.objects.get(pk=after.pk).verdict == "AC"
    assert "ended with 1 unfinished rows" in worker.said
