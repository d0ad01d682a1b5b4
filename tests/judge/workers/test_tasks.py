"""A task claims a row, works, and gives it back when the failure is ours."""

import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from judge.grading.events import (
    CaseProfiled,
    CompileFinished,
    Event,
    GradingFinished,
    GradingJob,
    RerunEnded,
    TimelineRun,
)
from judge.grading.submission import grading
from judge.grading.verdicts import Verdict
from judge.models import CaseRerun, Status, Submission, TestCaseResult, WorkerNode
from judge.queue import leases
from judge.queue.leases import LeaseLost
from judge.reruns.examination import RUNNERS
from judge.reruns.kinds import RerunKind
from judge.workers import tasks
from problems.management.commands.load_library import LIBRARY
from problems.store.publishing import publish
from problems.store.store import PackageStore
from problems.store.stores import package_store
from sandbox.errors import JailError
from sandbox.types import Profile, Sandbox, TimelinePoint, Usage
from tests.judge.packages import make_package

MakeSubmission = Callable[..., Submission]
MakeResult = Callable[[Submission], TestCaseResult]
NODE = socket.gethostname()  # what Celery calls the node of a task that is applied in place
Grade = Callable[[GradingJob, Sandbox, Path], Iterator[Event]]
OPEN = PackageStore.open


@pytest.fixture(autouse=True)
def _without_package_and_jail(monkeypatch: pytest.MonkeyPatch, db: None, silent_wakeup: None, tmp_path: Path) -> None:
    """The events come from the test; the row of the worker is there."""
    package = make_package(tmp_path)
    now = timezone.now()
    WorkerNode.objects.create(name=NODE, started_at=now, last_seen_at=now)
    monkeypatch.setattr(PackageStore, "open", lambda store, digest: replace(package, digest=digest))


@pytest.fixture
def grade_with(monkeypatch: pytest.MonkeyPatch) -> Callable[[Grade], None]:
    """A function that puts another one in the place of the grading core."""
    return lambda grade: monkeypatch.setattr(grading, "grade", grade)


def _run(submission: Submission) -> Submission:
    tasks.grade_submission.apply(args=[submission.pk], throw=True)
    submission.refresh_from_db()
    return submission


def _accepted(job: GradingJob, _sandbox: Sandbox, _work_root: Path) -> Iterator[Event]:
    assert (job.language, job.source) == ("python", b"print(1)\n")
    yield CompileFinished(ok=True, message="", wall_time_us=1, toolchain="Python", cases=0)
    yield GradingFinished(verdict=Verdict.AC, explanation=())


def test_grading_ends_in_a_verdict(make_submission: MakeSubmission, grade_with: Callable[[Grade], None]) -> None:
    grade_with(_accepted)
    submission = _run(make_submission())
    assert (submission.status, submission.verdict) == (Status.DONE, "AC")
    assert submission.worker.startswith(f"{NODE}/")


def _overhead(submission: Submission) -> list[int | None]:
    return [getattr(submission, column) for column in Submission.OVERHEAD_COLUMNS]


def test_result_keeps_what_its_worker_added_when_the_attempt_began(
    make_submission: MakeSubmission, grade_with: Callable[[Grade], None]
) -> None:
    def measured_anew(job: GradingJob, sandbox: Sandbox, work_root: Path) -> Iterator[Event]:
        WorkerNode.objects.update(overhead_wall_us=9_000)
        yield from _accepted(job, sandbox, work_root)

    WorkerNode.objects.filter(name=NODE).update(
        overhead_wall_us=605, overhead_cpu_us=-2, empty_cpu_us=264, overhead_runs=100
    )
    grade_with(measured_anew)
    assert _overhead(_run(make_submission())) == [605, -2, 264, 100]


def test_new_attempt_forgets_what_the_worker_before_added(
    make_submission: MakeSubmission, grade_with: Callable[[Grade], None]
) -> None:
    grade_with(_accepted)
    submission = make_submission(overhead_wall_us=605, overhead_cpu_us=-2, empty_cpu_us=264, overhead_runs=100)
    assert _overhead(_run(submission)) == [None] * 4  # this one's row says nothing


def test_row_that_is_taken_is_left_alone(make_submission: MakeSubmission, grade_with: Callable[[Grade], None]) -> None:
    grade_with(_accepted)
    submission = make_submission()
    leases.claim(Submission.objects.filter(pk=submission.pk), "other")
    assert _run(submission).status == Status.JUDGING


@pytest.mark.parametrize("error", [JailError("nsjail died"), OSError(28, "No space left on device"), ValueError("bug")])
def test_our_failure_gives_the_row_back(
    make_submission: MakeSubmission, grade_with: Callable[[Grade], None], error: Exception
) -> None:
    def fail(_job: GradingJob, _sandbox: Sandbox, _work_root: Path) -> Iterator[Event]:
        yield CompileFinished(ok=True, message="", wall_time_us=1, toolchain="Python", cases=0)
        raise error

    grade_with(fail)
    submission = _run(make_submission())
    assert (submission.status, submission.verdict, submission.failures) == (Status.QUEUED, "", 1)
    # The machine's failures keep the worker from more work until it has tested itself; a bug would only be repeated.
    assert bool(WorkerNode.objects.get().problem) == (not isinstance(error, ValueError))


def test_language_that_nobody_knows_costs_no_worker(make_submission: MakeSubmission) -> None:
    submission = _run(make_submission(language="cobol"))
    assert "there is no language 'cobol'" in submission.last_failure
    assert WorkerNode.objects.alive().exists()


def test_repeated_failure_becomes_a_judge_error(
    make_submission: MakeSubmission, grade_with: Callable[[Grade], None], settings: Settings
) -> None:
    settings.MAX_ATTEMPTS = 1

    def fail(_job: GradingJob, _sandbox: Sandbox, _work_root: Path) -> Iterator[Event]:
        raise JailError("nsjail died")

    grade_with(fail)
    submission = _run(make_submission())
    assert (submission.status, submission.verdict) == (Status.DONE, "JE")
    assert "JailError: nsjail died" in submission.judge_message


def test_damaged_package_without_a_storage_behind_it_becomes_a_judge_error_that_names_it(
    make_submission: MakeSubmission, settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(PackageStore, "open", OPEN)
    settings.MAX_ATTEMPTS, settings.STORE_DIR = 1, tmp_path / "store"
    version = publish(LIBRARY / "sumoftwo", owner=None)
    package_store().file(version.digest, "problem.yaml").write_text("")
    submission = _run(make_submission(problem=version.problem, problem_version=version))
    assert submission.verdict == "JE"
    assert f"version {version.digest[:12]} in the package store {settings.STORE_DIR} is damaged: it was changed" in (
        submission.judge_message
    )


def test_lost_lease_ends_the_grading_at_its_next_event(
    make_submission: MakeSubmission, grade_with: Callable[[Grade], None]
) -> None:
    ended: list[str] = []

    def overtaken(_job: GradingJob, _sandbox: Sandbox, _work_root: Path) -> Iterator[Event]:
        try:
            Submission.objects.update(attempt=2)
            yield GradingFinished(verdict=Verdict.WA, explanation=())
        finally:
            ended.append("the jail is closed")

    grade_with(overtaken)
    submission = _run(make_submission())
    assert (submission.status, submission.verdict, submission.failures) == (Status.JUDGING, "", 0)
    assert ended == ["the jail is closed"]
    with (
        pytest.raises(LeaseLost),
        leases.fenced(leases.Lease(model=Submission, id=submission.pk, attempt=1, worker="")),
    ):
        pass


def test_profile_request_is_carried_out(
    make_submission: MakeSubmission, make_result: MakeResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    def profile(_job: GradingJob, name: str, _sandbox: Sandbox, _work_root: Path) -> CaseProfiled:
        return CaseProfiled(name=name, result=Profile(syscalls={"read": 2}, streams={}))

    monkeypatch.setitem(RUNNERS, RerunKind.PROFILE, profile)
    request = CaseRerun.objects.of(make_result(make_submission(status=Status.DONE)), examination="profile")
    tasks.examine_case.apply(args=[request.pk], throw=True)
    request.refresh_from_db()
    assert request.status == Status.DONE
    assert request.result.profile == Profile(syscalls={"read": 2}, streams={})


def test_case_is_watched_over_time(
    make_submission: MakeSubmission, make_result: MakeResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = TimelinePoint(at_us=1, cpu_time_us=2, voluntary_switches=3, involuntary_switches=4)

    def watch(job: GradingJob, name: str, _sandbox: Sandbox, _work_root: Path) -> RerunEnded[TimelineRun]:
        run = TimelineRun(points=(point,), usage=Usage(wall_time_us=job.judged_wall_us), cores=2, is_whole=True)
        return RerunEnded(name=name, result=run)

    monkeypatch.setitem(RUNNERS, RerunKind.TIMELINE, watch)
    result = make_result(make_submission(status=Status.DONE))
    request = CaseRerun.objects.of(result, examination=RerunKind.TIMELINE)
    tasks.examine_case.apply(args=[request.pk], throw=True)
    request.refresh_from_db()
    assert (request.status, request.problem) == (Status.DONE, "")
    kept = request.result.timeline
    assert kept is not None
    assert kept.points == (point,)
    assert (kept.usage.wall_time_us, kept.cores, kept.is_whole) == (result.wall_time_us, 2, True)


def test_every_examination_can_be_carried_out() -> None:
    assert set(RUNNERS) == set(RerunKind)


def test_heartbeat_is_noted() -> None:
    before = WorkerNode.objects.get().last_seen_at
    tasks.heartbeat.apply(args=[NODE], throw=True)
    assert WorkerNode.objects.get().last_seen_at > before
