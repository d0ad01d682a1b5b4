"""One promise for every kind of work: who floods a line delays another one's only row by one step at most."""

import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from judge import custom_runs as requests
from judge.custom_runs import TestInput
from judge.experiments import actions, recording
from judge.grading.events import (
    BufferedRun,
    CaseJudged,
    CompileFinished,
    Event,
    GradingFinished,
    GradingJob,
    RerunEnded,
)
from judge.grading.reruns import custom_test
from judge.grading.submission import grading
from judge.grading.verdicts import Verdict
from judge.models import CaseRerun, CustomRun, ExperimentRun, PackageUpload, QueuedWork, Status, Submission
from judge.queue import fairness, leases
from judge.reruns.examination import RUNNERS
from judge.reruns.kinds import RerunKind
from judge.submissions import intake
from judge.submissions.intake import SentProgram
from judge.uploads import importing
from judge.workers import tasks, turns
from problems.models import Problem
from problems.store.store import PackageStore
from sandbox.types import IoProfile, Sandbox, Usage
from tests.judge.conftest import SubmissionMaker
from tests.judge.grading.experiment.specs import TINY
from tests.judge.packages import make_package
from tests.judge.submissions.test_trial_requests import TRIAL

NODE = socket.gethostname()  # what Celery calls the node of a task that is applied in place
STEPS = 3
FLOOD = 10

pytestmark = pytest.mark.usefixtures("silent_wakeup", "living_worker", "every_send_counts")


class Steps:
    """Stands in for the cores: every kind of work has STEPS of them. `during` is called in the first one's second."""

    def __init__(self) -> None:
        self.done: list[tuple[str, int]] = []  # the person, and the row's id
        self.during: Callable[[], object] = lambda: None

    def step(self, work: QueuedWork, number: int) -> None:
        assert work.person_id is not None
        self.done.append((User.objects.get(pk=work.person_id).username, work.pk))
        if number == 1:
            during, self.during = self.during, lambda: None
            during()

    def people(self) -> list[str]:
        """Return whose work each step was, in order."""
        return [name for name, _ in self.done]


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, db: None) -> Steps:
    """The cores, and a process that goes on until nothing waits and looks who goes first at each step."""
    steps = Steps()
    package = make_package(tmp_path)
    monkeypatch.setattr(PackageStore, "open", lambda store, digest: replace(package, digest=digest))
    monkeypatch.setattr(turns, "STRETCH_S", 600.0)
    monkeypatch.setattr(fairness, "PASSING_S", 600)
    monkeypatch.setattr(fairness, "LOOK_EVERY_S", 0)
    monkeypatch.setattr(tasks, "GATHER_S", 0)
    monkeypatch.setattr("judge.custom_runs.GATHER_S", 0)

    def judged(work: QueuedWork) -> Iterator[Event]:
        yield CompileFinished(ok=True, message="", wall_time_us=1, toolchain="Python", cases=STEPS)
        for number in range(STEPS):
            steps.step(work, number)
            yield CaseJudged(
                name=f"secret/{number}",
                is_sample=False,
                verdict=Verdict.AC,
                usage=Usage(),
                io=IoProfile(),
                exit_code=0,
                signal=None,
                stdout_bytes=0,
                stderr_bytes=0,
            )
        yield GradingFinished(verdict=Verdict.AC, explanation=())

    def under_way(_job: GradingJob, *_: object) -> Iterator[Event]:
        return judged(turns._under_way[-1].work)

    def rerun(job: GradingJob, name: str, _sandbox: Sandbox, _work_root: Path) -> RerunEnded[BufferedRun]:
        for number in range(STEPS):
            steps.step(turns._under_way[-1].work, number)
            job.between()
        return RerunEnded(name=name, result=TRIAL)

    def carry_out(lease: leases.Lease[Any], *rest: Any) -> None:
        *_, between = rest
        for number in range(STEPS):
            steps.step(turns._under_way[-1].work, number)
            between()
        lease.model._default_manager.filter(pk=lease.id).update(status=Status.DONE)

    monkeypatch.setattr(grading, "grade", under_way)
    monkeypatch.setattr(custom_test, "run_on_input", under_way)
    monkeypatch.setitem(RUNNERS, RerunKind.BUFFERED, rerun)
    monkeypatch.setattr(importing, "import_package", carry_out)
    monkeypatch.setattr(recording, "carry_out", carry_out)
    return steps


@pytest.fixture
def other(db: None) -> User:
    """Somebody who sends one thing."""
    return User.objects.create_user("other")


Send = Callable[[User, type[QueuedWork]], object]


@pytest.fixture
def send(make_submission: SubmissionMaker, make_result: Callable[..., Any], problem: Problem) -> Send:
    """A function that sends work of a kind as a person."""

    def upload(user: User) -> None:
        row = PackageUpload(owner=user, size=9)
        fairness.take_turn(row)
        row.save()

    def rerun(user: User) -> None:
        result = make_result(make_submission(user=user, status=Status.DONE))
        intake.queue_rerun(result, RerunKind.BUFFERED, user.pk)

    def custom_run(user: User) -> None:
        program = SentProgram(language="python", source=b"print(3)\n")
        requests.start(user, problem, program, TestInput(content=b"1 2\n"))

    ways: dict[type[QueuedWork], Callable[[User], object]] = {
        Submission: lambda user: intake.submit(user, problem, "python", b"print(3)\n"),
        CaseRerun: rerun,
        CustomRun: custom_run,
        PackageUpload: upload,
        ExperimentRun: lambda user: actions.start(user, TINY, "e0"),
    }
    return lambda user, kind: ways[kind](user)


@pytest.fixture(autouse=True)
def _large_quotas(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """A flood is more than one person may have waiting: the turns hold without quotas."""
    settings.MAX_IN_FLIGHT_PER_USER = settings.MAX_CUSTOM_RUNS = settings.MAX_CUSTOM_RUNS_PER_USER = FLOOD
    monkeypatch.setattr(actions, "MOST_UNFINISHED", FLOOD)


def _work() -> None:
    tasks.grade_submission.apply(args=[0], throw=True)


# what one person floods, and what another one sends once
@pytest.mark.each
@pytest.mark.parametrize(
    ("flood", "single"),
    [
        (Submission, Submission),
        (CaseRerun, CaseRerun),
        (CaseRerun, CustomRun),
        (CustomRun, CaseRerun),
        (CustomRun, CustomRun),
        (PackageUpload, PackageUpload),
        (ExperimentRun, ExperimentRun),
        (CaseRerun, Submission),
        (CustomRun, Submission),
        (PackageUpload, Submission),
        (PackageUpload, CaseRerun),
        (ExperimentRun, Submission),
        (ExperimentRun, PackageUpload),
    ],
)
def test_flood_delays_another_ones_only_work_by_one_step(
    flood: type[QueuedWork], single: type[QueuedWork], steps: Steps, send: Send, student: User, other: User
) -> None:
    for _ in range(FLOOD):
        send(student, flood)
    steps.during = lambda: send(other, single)
    _work()
    people = steps.people()
    assert len(people) == (FLOOD + 1) * STEPS
    assert people[:2] == ["student"] * 2
    assert people[2 : 2 + STEPS] == ["other"] * STEPS


@pytest.mark.each
@pytest.mark.parametrize("kind", [Submission, CaseRerun, CustomRun, PackageUpload, ExperimentRun])
def test_the_only_long_work_of_a_person_lets_others_pass(
    kind: type[QueuedWork], steps: Steps, send: Send, student: User, other: User
) -> None:
    send(student, kind)
    steps.during = lambda: send(other, kind)
    _work()
    assert steps.people() == ["student"] * 2 + ["other"] * STEPS + ["student"]


def test_fifty_accounts_do_not_keep_another_one_from_running(
    steps: Steps, send: Send, student: User, settings: Settings
) -> None:
    settings.MAX_CUSTOM_RUNS = 50
    for number in range(50):
        send(User.objects.create_user(f"bot{number}"), CustomRun)
    send(student, CustomRun)
    assert CustomRun.objects.filter(user=student).count() == 1


def test_a_patient_rerun_is_awaited_as_soon_as_somebody_goes_first(
    steps: Steps, send: Send, student: User, other: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = list[bool]()

    def rerun(job: GradingJob, name: str, _sandbox: Sandbox, _work_root: Path) -> RerunEnded[BufferedRun]:
        answers.append(job.is_awaited())
        send(other, Submission)
        answers.append(job.is_awaited())
        job.between()
        answers.append(job.is_awaited())
        return RerunEnded(name=name, result=TRIAL)

    monkeypatch.setitem(RUNNERS, RerunKind.BUFFERED, rerun)
    send(student, CaseRerun)
    _work()
    assert answers == [False, True, False]
    assert set(CaseRerun.objects.values_list("status", flat=True)) == {Status.DONE}
