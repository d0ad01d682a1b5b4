"""Which worker takes which work: languages, cores and memory; and who is notified of what another cannot judge."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judge.grading.experiment.spec import ExperimentSpec, RunSettings, Variant
from judge.models import (
    CaseRerun,
    ExperimentRun,
    PackageUpload,
    QueuedWork,
    Rejudge,
    RejudgedSubmission,
    Status,
    Submission,
    TestCaseResult,
    WorkerNode,
)
from judge.queue import capability, leases, wakeup
from problems.models import Problem

MakeSubmission = Callable[..., Submission]
MakeResult = Callable[[Submission], TestCaseResult]
GIB = 1024**3

pytestmark = pytest.mark.usefixtures("silent_wakeup")


def _worker(name: str, *languages: str, cores: int = 2, memory_bytes: int = 4 * GIB) -> WorkerNode:
    now = timezone.now()
    return WorkerNode.objects.create(
        name=name,
        started_at=now,
        last_seen_at=now,
        languages=dict.fromkeys(languages, "here"),
        cores=cores,
        memory_bytes=memory_bytes,
    )


def _takes(kind: type[QueuedWork], name: str) -> list[int]:
    """What the worker takes, one after the other, until nothing is left for it."""
    taken = iter(lambda: leases.claim(capability.judgeable(kind, name), f"{name}/0"), None)
    return [lease.id for lease in taken]


def test_worker_leaves_what_is_in_a_language_that_it_has_not(make_submission: MakeSubmission, db: None) -> None:
    _worker("without", "python", "cpp")
    _worker("all", "python", "cpp", "rust")
    rust, python, cpp = (make_submission(language=each) for each in ("rust", "python", "cpp"))
    assert _takes(Submission, "without") == [python.pk, cpp.pk]
    assert _takes(Submission, "all") == [rust.pk]
    rust.refresh_from_db()
    assert (rust.attempt, rust.failures) == (1, 0)


@pytest.mark.parametrize("kind", [Submission, PackageUpload])
def test_worker_that_is_unfit_takes_nothing_and_one_that_is_stopping_ends_what_it_has(
    make_submission: MakeSubmission, author: User, kind: type[QueuedWork]
) -> None:
    _worker("a", "python")
    row = make_submission() if kind is Submission else PackageUpload.objects.create(owner=author, size=9)
    for problem in ("The disk is full.", f"{WorkerNode.SICK}It is full."):
        WorkerNode.objects.update(problem=problem)
        assert _takes(kind, "a") == []
    WorkerNode.objects.update(problem=WorkerNode.TOLD_TO_STOP)
    assert _takes(kind, "a") == [row.pk]


def test_worker_that_is_unfit_passes_on_what_it_hears(make_submission: MakeSubmission, silent_wakeup: None) -> None:
    _worker("sick", "python")
    _worker("well", "python")
    WorkerNode.objects.filter(name="sick").update(problem=f"{WorkerNode.SICK}It is full.")
    make_submission()
    capability.pass_on(Submission, "sick")
    assert wakeup.unread_wakeups("well") == 1
    assert wakeup.unread_wakeups("sick") == 0


def test_worker_that_says_nothing_of_itself_takes_everything(make_submission: MakeSubmission, problem: Problem) -> None:
    now = timezone.now()
    WorkerNode.objects.create(name="silent", started_at=now, last_seen_at=now)
    _worker("large", "python", cores=8)
    problem.versions.update(cores=4)
    submissions = [make_submission(language=each).pk for each in ("rust", "python")]
    assert _takes(Submission, "silent") == submissions
    Submission.objects.update(status=Status.QUEUED)
    assert _takes(Submission, "nobody knows it") == submissions


def test_language_that_no_version_knows_any_more_does_not_wait_for_ever(make_submission: MakeSubmission) -> None:
    _worker("a", "python")
    assert _takes(Submission, "a") == []
    cobol = make_submission(language="cobol")
    assert _takes(Submission, "a") == [cobol.pk]


@pytest.mark.parametrize(("column", "need"), [("cores", 4), ("memory_bytes", 8 * GIB)])
def test_what_needs_more_than_a_worker_has_is_left_to_one_that_has_it(
    make_submission: MakeSubmission, problem: Problem, column: str, need: int
) -> None:
    _worker("small", "python")
    problem.versions.update(**{column: need})
    large = _worker("large", "python", cores=4, memory_bytes=8 * GIB)
    submission = make_submission()
    assert _takes(Submission, "small") == []
    assert _takes(Submission, "large") == [submission.pk]
    large.delete()
    Submission.objects.update(status=Status.QUEUED)
    assert _takes(Submission, "small") == [submission.pk]  # nobody has more: it judges with what it has


def test_whatever_runs_a_program_needs_its_language(
    make_submission: MakeSubmission, make_result: MakeResult, problem: Problem, student: User
) -> None:
    _worker("without", "python", "cpp")
    _worker("all", "python", "cpp", "rust")
    done = make_submission(language="rust", status=Status.DONE)
    request = CaseRerun.objects.of(make_result(done), examination="profile")
    assert problem.current_version is not None
    rejudge = Rejudge.objects.create(problem=problem, version=problem.current_version, reason="r")
    rejudged = RejudgedSubmission.objects.create(
        rejudge=rejudge, submission=done, old_version=problem.current_version, old_attempt=1, old_verdict="AC"
    )
    spec = _spec("python", "rust", cores=1)
    run = ExperimentRun.objects.create(user=student, key="own-1", spec=spec, total_runs=1)
    rows: list[QueuedWork] = [request, rejudged, run]
    for row in rows:
        assert _takes(type(row), "without") == []
        assert _takes(type(row), "all") == [row.pk]


def _spec(*languages: str, cores: int) -> ExperimentSpec:
    variants = tuple(Variant(name=language, language=language, source="") for language in languages)
    return ExperimentSpec(title="", question="", variants=variants, settings=RunSettings(cores=cores))


def test_experiment_needs_its_cores(student: User) -> None:
    _worker("small", "python")
    _worker("large", "python", cores=4)
    spec = _spec("python", cores=4)
    run = ExperimentRun.objects.create(user=student, key="own-1", spec=spec, total_runs=1)
    assert _takes(ExperimentRun, "small") == []
    assert _takes(ExperimentRun, "large") == [run.pk]


def _rings(*names: str) -> list[int | None]:
    return [wakeup.unread_wakeups(node=name) for name in names]


def test_ring_that_one_cannot_follow_is_passed_on_to_those_that_can(make_submission: MakeSubmission) -> None:
    for name, languages in {"a": ["python"], "b": ["rust"], "c": ["cpp"], "d": ["rust", "cpp"]}.items():
        _worker(name, *languages)
    make_submission(language="rust")
    for _ in range(3):
        capability.pass_on(Submission, "a")
    assert _rings("a", "b", "c", "d") == [0, 1, 0, 1]


def test_nothing_is_passed_on_that_one_could_do_oneself(make_submission: MakeSubmission) -> None:
    _worker("a", "python")
    _worker("b", "python")
    make_submission()
    make_submission(language="rust", status=Status.DONE)
    capability.pass_on(Submission, "a")
    capability.pass_on(Submission, "nobody knows it")
    assert _rings("a", "b") == [0, 0]


def test_worker_goes_on_although_all_rings_are_lost(make_submission: MakeSubmission) -> None:
    _worker("a", "python")
    make_submission(language="rust")
    capability.ring_on(Submission, "a")
    assert _rings("a") == [0]
    submission = make_submission()
    for _ in range(3):
        capability.ring_on(Submission, "a")
    assert _rings("a") == [1]
    with wakeup._client() as client:
        client.flushall()
    wakeup.notify(submission)
    capability.ring_on(Submission, "a")
    assert _rings("a", "") == [0, 1]


@pytest.mark.django_db
def test_claims_ask_once_a_second_what_a_worker_can(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter((7.2, 7.9, 8.0))
    monkeypatch.setattr(capability, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    asked = []
    for _ in range(3):
        with CaptureQueriesContext(connection) as captured:
            capability.judgeable_lately(Submission, "a")
        asked.append(bool(captured.captured_queries))
    assert asked == [True, False, True]
