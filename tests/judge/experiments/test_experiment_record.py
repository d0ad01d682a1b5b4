"""What a worker does with a run of an experiment: carried out, written as it goes on, ended early, given back."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from judge.experiments import actions, recording
from judge.grading.case_ending import CaseEnding
from judge.grading.events import GradingFinished
from judge.grading.experiment.engine import MOST_SAMPLES, run_experiment
from judge.grading.experiment.results import RunMeasured, VariantFailed, summarise
from judge.grading.experiment.spec import METRICS
from judge.grading.submission import grading
from judge.grading.verdicts import Verdict
from judge.grading.verification.pace import OutOfTime
from judge.models import KINDS, ExperimentRun, Status, Submission, WorkerNode
from judge.queue import fairness, leases, wakeup
from judge.uploads import importing
from judge.workers import reaper, tasks
from problems.jsonvalues import to_json
from problems.package import PackageError
from problems.store.store import PackageStore
from problems.translation import Sentence
from sandbox.errors import JailError
from sandbox.types import TimelinePoint
from tests.judge.grading.experiment.specs import GATHERED, TINY, make_spec, of_submission, variant
from tests.judge.packages import make_package

pytestmark = [pytest.mark.jail, pytest.mark.django_db, pytest.mark.usefixtures("silent_wakeup", "living_worker")]
MakeSubmission = Callable[..., Submission]


def _work(run: ExperimentRun) -> ExperimentRun:
    tasks.run_experiment.apply(args=[run.pk], throw=True)
    run.refresh_from_db()
    return run


def _measured(name: str, number: int) -> RunMeasured:
    numbers = dict.fromkeys(METRICS, 1)
    return RunMeasured(variant=name, destination="file", round=number, ending="exited", verdict="", numbers=numbers)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., Iterator[Any]]], None]:
    """A function that puts another one in the place of the engine."""
    return lambda engine: monkeypatch.setattr(recording, "run_experiment", engine)


def test_run_is_carried_out_to_its_results(student: User) -> None:
    run = _work(actions.start(student, TINY, "e0"))
    assert (run.status, run.failures, run.problem) == (Status.DONE, 0, "")
    assert [(each.variant, each.round) for each in run.runs] == [("one", 0), ("two", 0), ("two", 1), ("one", 1)]
    assert run.toolchains["python"].startswith("Python 3")
    assert run.machine["cores"] >= run.machine["pinned_to"] == 1
    results = summarise(TINY, run.runs, ())
    assert [cell.variant for cell in results.cells] == ["one", "two"]
    assert results.cells[0].estimates["write_bytes"].is_exact
    assert results.cells[0].estimates["write_bytes"].median == 2


def test_variant_that_does_not_compile_makes_fewer_runs(student: User) -> None:
    spec = make_spec(variant("broken", "def", "python"), variant("whole", "print(1)", "python"), rounds=2)
    run = _work(actions.start(student, spec, "e0"))
    assert (run.status, run.total_runs, len(run.runs)) == (Status.DONE, 2, 2)
    assert run.failed[0].variant == "broken"
    assert "SyntaxError" in run.failed[0].message


def test_progress_is_there_while_it_goes_on(
    student: User, told: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "WRITE_EVERY_S", 0)
    news: list[str] = []
    monkeypatch.setattr(wakeup, "announce", lambda work, word: news.append(f"{work.channel} {word}"))
    run = actions.start(student, TINY, "e0")
    seen: list[tuple[int, int]] = []

    def look() -> None:
        row = ExperimentRun.objects.get(pk=run.pk)
        seen.append((len(row.runs), row.total_runs))

    def engine(*_args: Any, **_how: Any) -> Iterator[RunMeasured | VariantFailed]:
        yield VariantFailed(variant="two", message="no\0")
        look()
        yield _measured("one", 0)
        look()

    told(engine)
    run = _work(run)
    assert seen == [(0, 2), (1, 2)]
    assert run.failed == (VariantFailed(variant="two", message="no\\x00"),)
    assert news[-1] == f"experiment:{run.pk} done"
    assert news.count(f"experiment:{run.pk} run") == 3


def test_runs_of_a_moment_are_written_together(
    student: User, told: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "WRITE_EVERY_S", 3_600)
    run = actions.start(student, TINY, "e0")
    seen: list[int] = []

    def engine(*_args: Any, **_how: Any) -> Iterator[RunMeasured]:
        for number in range(3):
            yield _measured("one", number)
            seen.append(len(ExperimentRun.objects.get(pk=run.pk).runs))

    told(engine)
    assert len(_work(run).runs) == 3
    assert seen == [0, 0, 0]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OutOfTime(Sentence("it had gone on for 15 minutes")), "15 minutes"),
        (PackageError("data/x", "", Sentence("gone")), "test case"),
    ],
)
def test_what_ends_it_early_is_told_and_what_was_measured_stays(
    student: User, told: Callable[..., None], error: Exception, words: str
) -> None:
    def engine(*_args: Any, **_how: Any) -> Iterator[RunMeasured]:
        yield _measured("one", 0)
        raise error

    told(engine)
    run = _work(actions.start(student, TINY, "e0"))
    assert (run.status, run.failures, len(run.runs)) == (Status.DONE, 0, 1)
    assert words in run.problem
    assert "data/x" not in run.problem


def test_run_may_not_go_on_for_ever(student: User, told: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "MOST_S", 0)
    run = _work(actions.start(student, TINY, "e0"))
    assert run.status == Status.DONE
    assert run.problem.startswith("It was ended before its last run")


def test_our_failure_gives_it_back_and_the_next_attempt_begins_anew(
    student: User, told: Callable[..., None], monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr(recording, "WRITE_EVERY_S", 0)

    def failing(*_args: Any, **_how: Any) -> Iterator[RunMeasured]:
        yield _measured("one", 0)
        raise JailError("nsjail died")

    told(failing)
    run = _work(actions.start(student, TINY, "e0"))
    assert (run.status, run.failures, len(run.runs)) == (Status.QUEUED, 1, 1)
    ExperimentRun.objects.update(next_try_at=None)
    WorkerNode.objects.update(problem="")
    settings.MAX_ATTEMPTS = 2
    run = _work(run)
    assert (run.status, len(run.runs)) == (Status.DONE, 1)
    assert "an error of ours" in run.problem
    assert "nsjail" not in run.problem


def test_lost_lease_ends_it_at_its_next_write(
    student: User, told: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "WRITE_EVERY_S", 0)
    ended: list[str] = []

    def overtaken(*_args: Any, **_how: Any) -> Iterator[RunMeasured]:
        try:
            ExperimentRun.objects.update(attempt=2)
            yield _measured("one", 0)
            ended.append("went on")
        finally:
            ended.append("the jails are closed")

    told(overtaken)
    run = _work(actions.start(student, TINY, "e0"))
    assert (run.status, run.failures, run.runs) == (Status.JUDGING, 0, ())
    assert ended == ["the jails are closed"]


@pytest.mark.django_db(transaction=True)  # another thread renews it
def test_lease_is_renewed_while_it_goes_on(student: User, told: Callable[..., None], settings: Settings) -> None:
    settings.LEASE_S = 1
    ends: list[Any] = []

    def slow(*_args: Any, **_how: Any) -> Iterator[RunMeasured]:
        for _ in range(2):
            ends.append(ExperimentRun.objects.get().lease_until)
            time.sleep(0.5)
        yield _measured("one", 0)

    told(slow)
    assert _work(actions.start(student, TINY, "e0")).status == Status.DONE
    assert ends[1] > ends[0]


def test_sweeper_takes_back_what_a_dead_worker_held(student: User) -> None:
    assert ExperimentRun in KINDS
    run = actions.start(student, TINY, "e0")
    leases.claim(ExperimentRun.objects.filter(pk=run.pk), "dead")
    ExperimentRun.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert reaper.take_back(ExperimentRun) == 1
    run.refresh_from_db()
    assert (run.status, run.failures) == (Status.QUEUED, 1)


def test_two_do_not_go_on_at_once_on_a_host(student: User) -> None:
    run = actions.start(student, TINY, "e0")
    with importing.only_one(django_settings.WORK_DIR, "experiments") as is_free:
        assert is_free
        assert _work(run).status == Status.QUEUED
    with importing.only_one(django_settings.WORK_DIR):  # a verification is no experiment
        assert _work(run).status == Status.DONE


def test_students_go_first_between_any_two_runs(
    student: User, make_submission: MakeSubmission, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(recording, "WRITE_EVERY_S", 0)
    monkeypatch.setattr(fairness, "LOOK_EVERY_S", 0)
    monkeypatch.setattr(PackageStore, "open", lambda store, digest: make_package(tmp_path))
    run = actions.start(student, TINY, "e0")
    measured_when_graded: list[int] = []

    def grade(*_args: Any) -> Iterator[GradingFinished]:
        measured_when_graded.append(len(ExperimentRun.objects.get(pk=run.pk).runs))
        if len(measured_when_graded) < 3:
            make_submission()  # comes in while this one is judged
        yield GradingFinished(verdict=Verdict.AC, explanation=())

    monkeypatch.setattr(grading, "grade", grade)

    def engine(*args: Any, **how: Any) -> Iterator[Any]:
        for number, told in enumerate(run_experiment(*args, **how)):
            yield told
            if number == 1:
                make_submission()

    monkeypatch.setattr(recording, "run_experiment", engine)
    assert len(_work(run).runs) == 4
    assert measured_when_graded == [2, 2, 2]


def test_case_is_run_with_the_settings_of_its_version(
    student: User,
    make_submission: MakeSubmission,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    told: Callable[..., None],
) -> None:
    package = make_package(tmp_path)
    monkeypatch.setattr(PackageStore, "open", lambda store, digest: package)
    given: list[Any] = []

    def engine(*_args: Any, package: Any, **_how: Any) -> Iterator[RunMeasured]:
        given.append(package.limits.memory_bytes)
        yield from ()

    told(engine)
    submission = make_submission(status=Status.DONE)
    run = _work(actions.start(student, of_submission(submission), actions.SUBMISSIONS))
    assert (run.status, run.problem) == (Status.DONE, "")
    assert given == [submission.problem_version.memory_bytes]


def test_large_row_is_written_less_often(
    student: User, told: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [recording.pause_s(size) for size in (0, 99_999, 100_000, 1_000_000)] == [0.5, 0.5, 1.0, 5.5]
    first = len(json.dumps(to_json(_measured("one", 0))))
    monkeypatch.setattr(recording, "pause_s", lambda size: 0 if size <= first else 3_600)
    run = actions.start(student, TINY, "e0")
    seen: list[int] = []

    def engine(*_args: Any, **_how: Any) -> Iterator[RunMeasured]:
        for number in range(3):
            yield _measured("one", number)
            seen.append(len(ExperimentRun.objects.get(pk=run.pk).runs))

    told(engine)
    assert len(_work(run).runs) == 3
    assert seen == [1, 1, 1]


@pytest.mark.thorough
def test_row_is_as_small_as_the_module_says(
    student: User, told: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "WRITE_EVERY_S", 0)
    largest = 2**53
    sample = TimelinePoint(at_us=largest, cpu_time_us=largest, voluntary_switches=largest, involuntary_switches=largest)
    spec = make_spec(*(variant(f"{n:02}" + "\U00010000" * 38, GATHERED) for n in range(12)), rounds=8)
    run = actions.start(student, replace(spec, settings=replace(spec.settings, sample_ms=20)), "e0")
    sizes: list[int] = []

    def engine(*_args: Any, **_how: Any) -> Iterator[RunMeasured | VariantFailed]:
        yield VariantFailed(variant="x", message="\U00010000" * 70_000)
        for number in range(8):
            for each in spec.variants:
                measured = replace(
                    _measured(each.name, number),
                    numbers=dict.fromkeys(METRICS, largest),
                    end=CaseEnding(how=None, refusal="\U00010000" * 300),
                    timeline=(sample,) * MOST_SAMPLES,
                )
                yield measured
        row = ExperimentRun.objects.get(pk=run.pk)
        sizes.extend(_bytes(each) for each in row.runs)
        sizes.append(_bytes(row.runs))

    told(engine)
    run = _work(run)
    *each, whole = sizes
    assert max(each) <= 11_000
    assert _bytes(replace(run.runs[0], timeline=())) <= 2_000
    assert whole <= 1_100_000
    assert len(run.runs) == 96
    assert len([one for one in run.runs if one.timeline]) == 12
    assert _bytes(run.runs) <= 400_000
    assert _bytes(run.failed) <= 17_000
    assert run.failed[0].message.endswith("[the rest is cut off]")


def _bytes(value: Any) -> int:
    return len(json.dumps(to_json(value), ensure_ascii=False).encode())
