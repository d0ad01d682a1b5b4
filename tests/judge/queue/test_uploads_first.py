"""An instructor's upload never waits for a student's experiment, neither for one that waits nor for one that runs."""

import io
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from pytest_django import Settings

from judge.experiments import actions, recording
from judge.grading.events import GradingFinished
from judge.grading.experiment.engine import run_experiment
from judge.grading.submission import grading
from judge.grading.verdicts import Verdict
from judge.grading.verification import verification
from judge.models import ExperimentRun, PackageUpload, Status, Submission
from judge.queue import fairness
from judge.uploads import importing, uploads
from judge.workers import tasks, turns
from problems.store.store import PackageStore
from sandbox.errors import JailError
from tests.judge.grading.experiment.specs import TINY, make_spec, variant
from tests.judge.packages import make_package
from tests.judge.packed import packed
from tests.judge.workers.real_workers import Worker, set_up_workers

pytestmark = [pytest.mark.jail, pytest.mark.usefixtures("silent_wakeup")]
Send = Callable[[], PackageUpload]
SLEEPS = variant("sleeps", "import time\ntime.sleep(0.3)\n", "python")


@pytest.fixture
def in_place(db: None, living_worker: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks are called by the test itself: each goes on until nothing waits, and looks who goes first at each step."""
    monkeypatch.setattr(turns, "STRETCH_S", 600.0)
    monkeypatch.setattr(fairness, "LOOK_EVERY_S", 0)


@pytest.fixture
def send(author: User, tmp_path: Path, settings: Settings) -> Send:
    """A function that sends a package, each time another one."""
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    settings.STORE_DIR = tmp_path / "store"
    numbers = count()

    def do() -> PackageUpload:
        name = f"twice{next(numbers)}"
        archive = packed({"problem.yaml": f"name: {name}\nlimits:\n  memory: 64\n"}, folder=name)
        return uploads.receive(io.BytesIO(archive), name=f"{name}.zip", owner=author)

    return do


@pytest.fixture
def during(monkeypatch: pytest.MonkeyPatch) -> dict[int, Callable[[], object]]:
    """What happens after so many runs of an experiment."""
    happens: dict[int, Callable[[], object]] = {}

    def engine(*args: Any, **how: Any) -> Iterator[Any]:
        for number, told in enumerate(run_experiment(*args, **how), start=1):
            yield told
            happens.pop(number, lambda: None)()

    monkeypatch.setattr(recording, "run_experiment", engine)
    monkeypatch.setattr(recording, "WRITE_EVERY_S", 0)
    return happens


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many runs of an experiment there were when each upload was begun."""
    runs: list[int] = []
    real = importing.import_package

    def import_package(*args: Any) -> None:
        runs.append(sum(len(run.runs) for run in ExperimentRun.objects.all()))
        real(*args)

    monkeypatch.setattr(importing, "import_package", import_package)
    return runs


def _work(run: ExperimentRun) -> ExperimentRun:
    tasks.run_experiment.apply(args=[run.pk], throw=True)
    run.refresh_from_db()
    return run


def _statuses() -> list[str]:
    return list(PackageUpload.objects.order_by("pk").values_list("status", flat=True))


def test_uploads_that_wait_are_verified_before_an_experiment_begins(
    in_place: None, student: User, send: Send, imported: list[int]
) -> None:
    run = actions.start(student, TINY, "e0")
    sent = [send(), send()]
    assert _work(run).status == Status.DONE
    assert imported == [0, 0]
    assert _statuses() == [Status.DONE] * 2
    for upload in sent:
        upload.refresh_from_db()
        assert (upload.is_clean, upload.failures) == (True, 0)


def test_upload_goes_first_between_any_two_runs(
    in_place: None, student: User, send: Send, during: dict[int, Callable[[], object]], imported: list[int]
) -> None:
    during |= {1: send, 3: lambda: (send(), send())}
    run = _work(actions.start(student, TINY, "e0"))
    assert imported == [1, 3, 3]
    assert _statuses() == [Status.DONE] * 3
    assert (run.status, run.attempt, run.failures, len(run.runs), run.problem) == (Status.DONE, 1, 0, 4, "")


def test_student_goes_first_in_the_upload_that_goes_first(
    in_place: None,
    student: User,
    send: Send,
    during: dict[int, Callable[[], object]],
    make_submission: Callable[..., Submission],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    steps: list[str] = []
    real = verification.verify

    def verify(*args: Any, **how: Any) -> Iterator[Any]:
        make_submission()
        steps.append("upload")
        yield from real(*args, **how)

    def grade(*_args: Any) -> Iterator[GradingFinished]:
        steps.append("submission")
        yield GradingFinished(verdict=Verdict.AC, explanation=())

    monkeypatch.setattr(importing, "verify", verify)
    monkeypatch.setattr(uploads, "follow", lambda _: steps.append("uploaded"))
    monkeypatch.setattr(grading, "grade", grade)
    package = make_package(tmp_path / "graded")
    real_open = PackageStore.open
    monkeypatch.setattr(
        PackageStore, "open", lambda store, digest: package if digest == "0" * 64 else real_open(store, digest)
    )
    during[2] = send
    assert _work(actions.start(student, TINY, "e0")).status == Status.DONE
    assert steps == ["upload", "submission", "uploaded"]
    assert _statuses() == [Status.DONE]


def test_experiment_goes_on_beside_another_process_that_verifies(
    in_place: None, student: User, send: Send, during: dict[int, Callable[[], object]]
) -> None:
    during[1] = send
    with importing.only_one(django_settings.WORK_DIR) as is_free:
        assert is_free
        assert _work(actions.start(student, TINY, "e0")).status == Status.DONE
        assert _statuses() == [Status.QUEUED]


def test_failure_of_ours_in_an_upload_is_none_of_the_experiment(
    in_place: None,
    student: User,
    send: Send,
    during: dict[int, Callable[[], object]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_args: Any) -> None:
        raise JailError("nsjail died")

    monkeypatch.setattr(importing, "import_package", fail)
    during[1] = send
    run = _work(actions.start(student, TINY, "e0"))
    assert (run.status, run.attempt, run.failures, len(run.runs)) == (Status.DONE, 1, 0, 4)
    upload = PackageUpload.objects.get()
    assert (upload.status, upload.failures) == (Status.QUEUED, 1)


@pytest.mark.thorough
@pytest.mark.timeout(300)
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("processes", [1, 2])
def test_two_experiments_hold_up_no_upload_of_a_real_worker(
    processes: int, student: User, author: User, send: Send, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_up_workers(monkeypatch, TALLY_STORE_DIR=str(tmp_path / "store"), TALLY_SWEEP_EVERY_S="600")
    worker = Worker(tmp_path / "worker.log", processes=processes)
    worker.start()
    try:
        spec = make_spec(SLEEPS, variant("sleeps too", SLEEPS.source, "python"), rounds=8)
        running, waiting = (actions.start(student, spec, "e0") for _ in range(2))
        worker.wait_for(lambda: _runs(running) > 0, "the first experiment runs")
        sent = [send() for _ in range(3)]
        worker.wait_for(lambda: _statuses() == [Status.DONE] * 3, "the uploads are verified")
        assert 0 < _runs(running) < 16 or processes > 1
        worker.wait_for(lambda: not ExperimentRun.objects.exclude(status=Status.DONE).exists(), "the experiments go on")
    finally:
        worker.stop()
    for row in (*sent, running, waiting):
        row.refresh_from_db()
        assert row.failures == 0
        assert row.attempt == 1
    assert all(upload.is_clean for upload in sent)
    assert [_runs(running), _runs(waiting)] == [16, 16]
    last = sent[-1].finished_at
    assert last is not None
    assert running.finished_at is not None
    assert waiting.started_at is not None
    if processes == 1:
        assert last < running.finished_at
        assert last < waiting.started_at


def _runs(run: ExperimentRun) -> int:
    return len(ExperimentRun.objects.get(pk=run.pk).runs)
