"""Rows that the queue's tests start from, and the real sandbox for the grading core's."""

import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import Permission, User
from django.db import connection, models
from django.utils import timezone

from judge.grading.bounded import reader_in
from judge.models import Status, Submission, TestCaseResult, WorkerNode
from judge.queue import capability, waiting
from judge.submissions import records
from problems.models import Problem, ProblemVersion
from sandbox.image.reading import Reader
from sandbox.jail.nsjail import NsjailSandbox

SubmissionMaker = Callable[..., Submission]
_MEASURED = [
    field.name for field in TestCaseResult._meta.get_fields() if isinstance(field, models.PositiveBigIntegerField)
]


def cut_off() -> None:
    """PostgreSQL ends this thread's connection, as when it starts anew."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (mine,) = cursor.fetchone()

    def end() -> None:
        with connection.cursor() as other:
            other.execute("SELECT pg_terminate_backend(%s, 10000)", [mine])
        connection.close()

    thread = threading.Thread(target=end)
    thread.start()
    thread.join()


@pytest.fixture(autouse=True)
def _nothing_of_late() -> None:
    """What workers said within this second was another test's."""
    capability._beyond_lately.cache_clear()
    waiting.forget()


@pytest.fixture(autouse=True)
def _sources_stay_unread(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who finds the queue empty reads sources in a jail; a test without jails has none read."""
    if request.node.get_closest_marker("jail") is None:
        monkeypatch.setattr(records, "read_left_out", lambda *_: 0)


@pytest.fixture
def student(db: None) -> User:
    """Somebody who submits."""
    return User.objects.create_user("student")


@pytest.fixture
def problem(db: None) -> Problem:
    """A problem that is open for submissions. Its package is in no store."""
    problem = Problem.objects.create(slug="sum", title="Sum")
    version = ProblemVersion.objects.create(
        problem=problem,
        digest="0" * 64,
        title="Sum",
        time_limit_ms=1_000,
        memory_bytes=256 * 1024 * 1024,
        output_bytes=8 * 1024 * 1024,
        code_bytes=64 * 1024,
        test_case_count=2,
    )
    problem.current_version = version
    problem.save()
    return problem


@pytest.fixture
def make_submission(student: User, problem: Problem) -> SubmissionMaker:
    """A function that inserts a queued submission; keyword arguments replace its columns."""

    def make(**columns: object) -> Submission:
        version = problem.current_version
        given = {"user": student, "problem": problem, "problem_version": version, "language": "python"}
        return Submission.objects.create(**{**given, "source": b"print(1)\n", **columns})

    return make


@pytest.fixture
def make_result() -> Callable[[Submission], TestCaseResult]:
    """A function that inserts one more accepted test case of a submission."""

    def make(submission: Submission) -> TestCaseResult:
        zeros = dict.fromkeys(_MEASURED, 0)
        position = submission.results.count()
        return TestCaseResult.objects.create(
            submission=submission,
            attempt=submission.attempt,
            position=position,
            name=f"secret/{position}",
            is_sample=False,
            verdict="AC",
            **zeros,
        )

    return make


@pytest.fixture
def author(db: None) -> User:
    """Somebody who may publish problems."""
    user = User.objects.create_user("author")
    user.user_permissions.add(Permission.objects.get(codename="add_problem"))
    return user


@pytest.fixture
def teacher(db: None) -> User:
    """Somebody who may rejudge."""
    return User.objects.create_user("teacher", is_staff=True)


@pytest.fixture
def newer(problem: Problem) -> ProblemVersion:
    """A second version, which is the current one, with half the time."""
    version = ProblemVersion.objects.get(problem=problem)
    version.pk, version.number, version.digest, version.time_limit_ms = None, 2, "2" * 64, 500
    version.save()
    problem.current_version = version
    problem.save()
    return version


@pytest.fixture
def make_judged(
    make_submission: SubmissionMaker, make_result: Callable[[Submission], TestCaseResult]
) -> SubmissionMaker:
    """A function that inserts a submission that was judged, with two test cases."""

    def make(**columns: object) -> Submission:
        given = {"status": Status.DONE, "verdict": "WA", "attempt": 1, "finished_at": timezone.now(), **columns}
        submission = make_submission(**given)
        for _ in range(2):
            make_result(submission)
        return submission

    return make


@pytest.fixture
def living_worker(db: None) -> WorkerNode:
    """The row of this host's worker, which has every language."""
    now = timezone.now()
    languages = dict.fromkeys(("python", "cpp", "rust"), "here")
    return WorkerNode.objects.create(name=socket.gethostname(), started_at=now, last_seen_at=now, languages=languages)


@pytest.fixture(scope="session")
def work_root() -> Path:
    """The folder for jails and gradings."""
    folder: Path = settings.WORK_DIR
    return folder


@pytest.fixture(scope="session")
def sandbox(work_root: Path) -> NsjailSandbox:
    """The real sandbox."""
    return NsjailSandbox(work_root)


@pytest.fixture(scope="session")
def reader(sandbox: NsjailSandbox, work_root: Path) -> Reader:
    """The bounded reader of sources and programs."""
    return reader_in(sandbox, work_root)
