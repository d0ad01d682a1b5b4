"""Runs of experiments as rows: who may start, share and keep what, and what a worker does with one."""

import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import Permission, User
from django.utils import timezone
from pytest_django import Settings

from judge import doorbell, experiment_record, experimenting, grading, importing, leases, sweeper, tasks
from judge.events import GradingFinished
from judge.experiment.engine import run_experiment
from judge.experiment.results import RunMeasured, VariantFailed
from judge.experiment.spec import METRICS, CaseRef, ExperimentSpec, SpecError
from judge.intake import IntakeRefused
from judge.models import KINDS, Experiment, ExperimentRun, Status, Submission, WorkerNode
from judge.pace import OutOfTime
from judge.verdicts import Verdict
from problems.models import Problem
from problems.package import PackageError
from problems.store import PackageStore
from sandbox.errors import JailError
from tests.judge.experiment.specs import make_spec, variant
from tests.judge.packages import make_package

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("silent_doorbell")]
MakeSubmission = Callable[..., Submission]
NODE = socket.gethostname()
TINY = make_spec(variant("one", "print(1)", "python"), variant("two", "print(2)", "python"), rounds=2)


@pytest.fixture(autouse=True)
def _worker(db: None) -> None:
    """The worker's row."""
    now = timezone.now()
    languages = dict.fromkeys(("python", "cpp", "rust"), "here")
    WorkerNode.objects.create(name=NODE, started_at=now, last_seen_at=now, languages=languages)


@pytest.fixture
def author(db: None) -> User:
    """Somebody who may publish problems."""
    user = User.objects.create_user("author")
    user.user_permissions.add(Permission.objects.get(codename="add_problem"))
    return user


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
    return lambda engine: monkeypatch.setattr(experiment_record, "run_experiment", engine)


# taken in


@pytest.mark.django_db(transaction=True)  # it rings after the commit
def test_run_is_queued_with_its_spec_and_rung_for(student: User) -> None:
    run = experimenting.start(student, TINY, "e0-tiny")
    assert (run.status, run.key, run.user, run.total_runs) == (Status.QUEUED, "e0-tiny", student, 4)
    assert run.spec == TINY.as_json()
    assert doorbell.ringing(ExperimentRun.PRECEDENCE) == 1


def _refused(user: User, spec: ExperimentSpec) -> str:
    with pytest.raises(IntakeRefused) as caught:
        experimenting.start(user, spec, "own-1")
    assert not ExperimentRun.objects.filter(key="own-1").exists()
    return caught.value.code


def test_what_may_not_be_run_is_refused(student: User, settings: Settings) -> None:
    assert _refused(student, replace(TINY, rounds=99)) == "spec"
    settings.DISABLED_LANGUAGES = ["python"]
    assert _refused(student, TINY) == "language"


def test_one_person_may_have_two_unfinished(student: User, teacher: User) -> None:
    runs = [experimenting.start(student, TINY, "e0") for _ in range(2)]
    assert _refused(student, TINY) == "busy"
    experimenting.start(teacher, TINY, "e0")
    ExperimentRun.objects.filter(pk=runs[0].pk).update(status=Status.DONE)
    experimenting.start(student, TINY, "e0")


def test_submissions_in_flight_count_too(student: User, make_submission: MakeSubmission, settings: Settings) -> None:
    settings.MAX_IN_FLIGHT_PER_USER = 1
    make_submission()
    assert _refused(student, TINY) == "busy"


def test_oldest_runs_go_but_for_those_that_are_shared(student: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experimenting, "KEPT_RUNS", 2)
    made = [
        ExperimentRun.objects.create(
            user=student, key="e0", spec=TINY.as_json(), total_runs=4, status=Status.DONE, is_shared=number == 0
        )
        for number in range(4)
    ]
    newest = experimenting.start(student, TINY, "e0")
    left = set(ExperimentRun.objects.values_list("pk", flat=True))
    assert left == {made[0].pk, made[3].pk, newest.pk}


# on a test case


def _of(sent: Submission, /, **changes: Any) -> ExperimentSpec:
    own = replace(variant("mine", sent.source_text, sent.language, submission=sent.pk), **changes)
    case = CaseRef(version=sent.problem_version_id, case="secret/1")
    return make_spec(own, case=case)


def test_own_submission_may_be_run_on_a_case(student: User, make_submission: MakeSubmission) -> None:
    run = experimenting.start(student, _of(make_submission(status=Status.DONE)), experimenting.SUBMISSIONS)
    assert run.spec["case"]["case"] == "secret/1"


def test_other_program_is_not_run_on_a_hidden_case(student: User, make_submission: MakeSubmission) -> None:
    submission = make_submission(status=Status.DONE)
    assert _refused(student, _of(submission, source="print(2)")) == "case"
    assert _refused(student, _of(submission, submission=None)) == "case"
    assert _refused(student, _of(submission, language="cpp")) == "case"


def test_source_that_is_no_text_is_not_run_changed(student: User, make_submission: MakeSubmission) -> None:
    assert _refused(student, _of(make_submission(status=Status.DONE, source=b"print('\xe9')"))) == "utf8"


def test_submission_of_another_is_run_by_staff_only(
    student: User, teacher: User, make_submission: MakeSubmission
) -> None:
    spec = _of(make_submission(status=Status.DONE))
    assert _refused(User.objects.create_user("other"), spec) == "case"
    experimenting.start(teacher, spec, experimenting.SUBMISSIONS)


def test_case_must_be_of_a_version_that_judged_it(student: User, make_submission: MakeSubmission, newer: Any) -> None:
    submission = make_submission(status=Status.DONE, problem_version=Problem.objects.get().versions.first())
    spec = replace(_of(submission), case=CaseRef(version=newer.pk, case="secret/1"))
    assert _refused(student, spec) == "case"
    assert _refused(student, replace(spec, case=CaseRef(version=10**6, case="secret/1"))) == "case"


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
    run = _work(experimenting.start(student, _of(submission), experimenting.SUBMISSIONS))
    assert (run.status, run.problem) == (Status.DONE, "")
    assert given == [submission.problem_version.memory_bytes]


# carried out


def test_run_is_carried_out_to_its_results(student: User) -> None:
    run = _work(experimenting.start(student, TINY, "e0"))
    assert (run.status, run.failures, run.problem) == (Status.DONE, 0, "")
    assert [(each["variant"], each["round"]) for each in run.runs] == [("one", 0), ("two", 0), ("two", 1), ("one", 1)]
    assert run.toolchains["python"].startswith("Python 3")
    assert run.machine["cores"] >= run.machine["pinned_to"] == 1
    results = experimenting.results_of(run)
    assert [cell.variant for cell in results.cells] == ["one", "two"]
    assert results.cells[0].estimates["write_bytes"].is_exact
    assert results.cells[0].estimates["write_bytes"].median == 2


def test_variant_that_does_not_compile_makes_fewer_runs(student: User) -> None:
    spec = make_spec(variant("broken", "def", "python"), variant("whole", "print(1)", "python"), rounds=2)
    run = _work(experimenting.start(student, spec, "e0"))
    assert (run.status, run.total_runs, len(run.runs)) == (Status.DONE, 2, 2)
    results = experimenting.results_of(run)
    assert results.failed[0].variant == "broken"
    assert "SyntaxError" in results.failed[0].message


def test_progress_is_there_while_it_goes_on(
    student: User, told: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(experiment_record, "WRITE_EVERY_S", 0)
    news: list[str] = []
    monkeypatch.setattr(doorbell, "announce", lambda work, word: news.append(f"{work.channel} {word}"))
    run = experimenting.start(student, TINY, "e0")
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
    assert run.failed == [{"variant": "two", "message": "no\\x00"}]
    assert news[-1] == f"experiment:{run.pk} done"
    assert news.count(f"experiment:{run.pk} run") == 3


def test_runs_of_a_moment_are_written_together(
    student: User, told: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(experiment_record, "WRITE_EVERY_S", 3_600)
    run = experimenting.start(student, TINY, "e0")
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
    [(OutOfTime("it had gone on for 15 minutes"), "15 minutes"), (PackageError("data/x", "", "gone"), "test case")],
)
def test_what_ends_it_early_is_told_and_what_was_measured_stays(
    student: User, told: Callable[..., None], error: Exception, words: str
) -> None:
    def engine(*_args: Any, **_how: Any) -> Iterator[RunMeasured]:
        yield _measured("one", 0)
        raise error

    told(engine)
    run = _work(experimenting.start(student, TINY, "e0"))
    assert (run.status, run.failures, len(run.runs)) == (Status.DONE, 0, 1)
    assert words in run.problem
    assert "data/x" not in run.problem


def test_run_may_not_go_on_for_ever(student: User, told: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiment_record, "MOST_S", 0)
    run = _work(experimenting.start(student, TINY, "e0"))
    assert run.status == Status.DONE
    assert run.problem.startswith("It was ended before its last run")


def test_our_failure_gives_it_back_and_the_next_attempt_begins_anew(
    student: User, told: Callable[..., None], monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr(experiment_record, "WRITE_EVERY_S", 0)

    def failing(*_args: Any, **_how: Any) -> Iterator[RunMeasured]:
        yield _measured("one", 0)
        raise JailError("nsjail died")

    told(failing)
    run = _work(experimenting.start(student, TINY, "e0"))
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
    monkeypatch.setattr(experiment_record, "WRITE_EVERY_S", 0)
    ended: list[str] = []

    def overtaken(*_args: Any, **_how: Any) -> Iterator[RunMeasured]:
        try:
            ExperimentRun.objects.update(attempt=2)
            yield _measured("one", 0)
            ended.append("went on")
        finally:
            ended.append("the jails are closed")

    told(overtaken)
    run = _work(experimenting.start(student, TINY, "e0"))
    assert (run.status, run.failures, run.runs) == (Status.JUDGING, 0, [])
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
    assert _work(experimenting.start(student, TINY, "e0")).status == Status.DONE
    assert ends[1] > ends[0]


def test_sweeper_takes_back_what_a_dead_worker_held(student: User) -> None:
    assert ExperimentRun in KINDS
    run = experimenting.start(student, TINY, "e0")
    leases.claim(ExperimentRun, run.pk, "dead")
    ExperimentRun.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert sweeper.take_back(ExperimentRun) == 1
    run.refresh_from_db()
    assert (run.status, run.failures) == (Status.QUEUED, 1)


def test_two_do_not_go_on_at_once_on_a_host(student: User) -> None:
    run = experimenting.start(student, TINY, "e0")
    with importing.only_one(django_settings.WORK_DIR, "experiments") as is_free:
        assert is_free
        assert _work(run).status == Status.QUEUED
    with importing.only_one(django_settings.WORK_DIR):  # a verification is no experiment
        assert _work(run).status == Status.DONE


def test_students_go_first_between_any_two_runs(
    student: User, make_submission: MakeSubmission, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(experiment_record, "WRITE_EVERY_S", 0)
    monkeypatch.setattr(PackageStore, "open", lambda store, digest: make_package(tmp_path))
    run = experimenting.start(student, TINY, "e0")
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

    monkeypatch.setattr(experiment_record, "run_experiment", engine)
    assert len(_work(run).runs) == 4
    assert measured_when_graded == [2, 2, 2]


# shared, made, published


def _done(user: User, spec: ExperimentSpec = TINY) -> ExperimentRun:
    return ExperimentRun.objects.create(user=user, key="e0", spec=spec.as_json(), total_runs=4, status=Status.DONE)


def test_own_run_is_shared_by_its_user_and_staff_only(student: User, teacher: User) -> None:
    other = User.objects.create_user("other")
    run = _done(student)
    with pytest.raises(IntakeRefused):
        experimenting.share(run, other)
    assert not ExperimentRun.objects.readable_by(other).exists()
    experimenting.share(run, student)
    assert ExperimentRun.objects.readable_by(other).get() == run
    with pytest.raises(IntakeRefused):
        experimenting.unshare(run, other)
    experimenting.unshare(run, student)
    assert not ExperimentRun.objects.readable_by(other).exists()
    experimenting.share(_done(student), teacher)


def test_run_with_submissions_of_others_is_not_shared(teacher: User, make_submission: MakeSubmission) -> None:
    run = _done(teacher, _of(make_submission(status=Status.DONE)))
    with pytest.raises(IntakeRefused) as caught:
        experimenting.share(run, teacher)
    assert caught.value.code == "others"
    run.refresh_from_db()
    assert not run.is_shared


def test_sharing_has_a_bound(student: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experimenting, "KEPT_RUNS", 1)
    experimenting.share(_done(student), student)
    with pytest.raises(IntakeRefused):
        experimenting.share(_done(student), student)


def test_student_makes_no_experiments(student: User, author: User) -> None:
    for experiment in (None, experimenting.save_experiment(author, TINY)):
        with pytest.raises(IntakeRefused):
            experimenting.save_experiment(student, TINY, experiment)
    assert Experiment.objects.count() == 1


def test_author_makes_changes_publishes_and_deletes_one(author: User, student: User) -> None:
    experiment = experimenting.save_experiment(author, TINY)
    assert not Experiment.objects.visible_to(student).exists()
    experimenting.save_experiment(author, replace(TINY, title="Changed"), experiment)
    experimenting.publish(experiment, author)
    found = Experiment.objects.visible_to(student).get()
    assert (found.spec["title"], found.owner) == ("Changed", author)
    experimenting.unpublish(experiment, author)
    assert not Experiment.objects.visible_to(student).exists()
    experimenting.delete(experiment, author)
    assert not Experiment.objects.exists()


def test_only_its_owner_and_staff_change_it(author: User, teacher: User) -> None:
    experiment = experimenting.save_experiment(author, TINY)
    colleague = User.objects.create_user("colleague")
    colleague.user_permissions.add(Permission.objects.get(codename="add_problem"))
    for change in (
        lambda: experimenting.publish(experiment, colleague),
        lambda: experimenting.delete(experiment, colleague),
        lambda: experimenting.save_experiment(colleague, TINY, experiment),
    ):
        with pytest.raises(IntakeRefused):
            change()
    experimenting.publish(experiment, teacher)
    author.user_permissions.clear()
    with pytest.raises(IntakeRefused):
        experimenting.unpublish(experiment, User.objects.get(pk=author.pk))


def test_own_experiment_holds_no_test_case_and_no_submission(author: User, make_submission: MakeSubmission) -> None:
    spec = _of(make_submission(status=Status.DONE))
    with pytest.raises(SpecError) as caught:
        experimenting.save_experiment(author, spec)
    assert list(caught.value.problems) == ["case"]
    kept = experimenting.save_experiment(author, replace(spec, case=None))
    assert kept.spec["variants"][0]["submission"] is None
    with pytest.raises(SpecError):
        experimenting.save_experiment(author, replace(TINY, rounds=0))
