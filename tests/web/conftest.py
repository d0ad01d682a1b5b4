"""People, problems and submissions with results, as the judge leaves them, for the pages' tests."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from judge.grading.measures import STORED
from judge.grading.verdicts import Verdict
from judge.models import Status, Submission, TestCaseResult, WorkerNode
from judge.queue import waiting
from problems.models import Problem, ProblemVersion
from problems.package import Sample

MIB = 1024 * 1024
SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]


@pytest.fixture(autouse=True)
def _nothing_of_late() -> None:
    """The queue as it was within this second was another test's."""
    waiting.forget()


@pytest.fixture
def student(db: None) -> User:
    """Somebody who sends programs."""
    return User.objects.create_user("student", password="a pass phrase")


@pytest.fixture
def other_student(db: None) -> User:
    """Somebody else, who may read nothing of the student's."""
    return User.objects.create_user("other", password="a pass phrase")


@pytest.fixture
def instructor(db: None) -> User:
    """Somebody who publishes problems and reads every submission."""
    return User.objects.create_user("instructor", password="a pass phrase", is_staff=True)


@pytest.fixture
def own_store(tmp_path: Path, settings: Settings) -> None:
    """The packages of this test lie in a folder of its own."""
    settings.STORE_DIR = tmp_path / "store"


@pytest.fixture
def problem(db: None) -> Problem:
    """A published problem; its package is in no store."""
    made = Problem.objects.create(slug="sumoftwo", title="Sum of Two Numbers")
    made.current_version = ProblemVersion.objects.create(
        problem=made,
        digest="0" * 64,
        title=made.title,
        statement_html="<p>Add <math><mi>a</mi></math> and b.</p>",
        samples=(Sample(name="sample/1", input="1 2\n", answer="3\n"),),
        time_limit_ms=1_500,
        memory_bytes=256 * 1024 * 1024,
        output_bytes=8 * 1024 * 1024,
        code_bytes=2_000,
        test_case_count=12,
    )
    made.save()
    return made


@pytest.fixture
def as_student(student: User) -> Client:
    """The student's browser."""
    client = Client()
    client.force_login(student)
    return client


@pytest.fixture
def as_other(other_student: User) -> Client:
    """The other student's browser."""
    client = Client()
    client.force_login(other_student)
    return client


@pytest.fixture
def as_staff(instructor: User) -> Client:
    """The instructor's browser."""
    client = Client()
    client.force_login(instructor)
    return client


@pytest.fixture
def open_problem(problem: Problem) -> Problem:
    """The problem as an open one: nothing is rounded."""
    version = problem.current_version
    assert version
    ProblemVersion.objects.filter(pk=version.pk).update(exact_numbers=True)
    version.exact_numbers = True
    return problem


@pytest.fixture
def other_problem(db: None) -> Problem:
    """A second problem."""
    other = Problem.objects.create(slug="stations", title="Base stations")
    other.current_version = ProblemVersion.objects.create(
        problem=other,
        digest="1" * 64,
        title=other.title,
        time_limit_ms=2_000,
        memory_bytes=256 * MIB,
        output_bytes=8 * MIB,
        code_bytes=64 * 1024,
        test_case_count=2,
    )
    other.save()
    return other


@pytest.fixture
def make_submission(student: User, problem: Problem) -> SubmissionMaker:
    """A function that inserts a finished, accepted submission; keyword arguments replace its columns."""

    def make(**columns: Any) -> Submission:
        of = columns.get("problem", problem)
        given = {
            "user": student,
            "problem": of,
            "problem_version": of.current_version,
            "language": "cpp",
            "source": b"int main() {}\n",
            "status": Status.DONE,
            "attempt": 1,
            "verdict": Verdict.AC,
            "compile_ok": True,
            "test_case_count": 2,
        }
        if columns.get("status", Status.DONE) != Status.DONE:
            given |= {"verdict": ""}
        return Submission.objects.create(**{**given, **columns})

    return make


@pytest.fixture
def make_result() -> ResultMaker:
    """A function that inserts one more test case of a submission; keyword arguments replace its columns."""

    def make(submission: Submission, **columns: Any) -> TestCaseResult:
        position = submission.results.count()
        given = {
            **dict.fromkeys((measure.name for measure in STORED), 0),
            "attempt": submission.attempt,
            "position": position,
            "name": f"secret/{position + 1:02}",
            "is_sample": False,
            "verdict": Verdict.AC,
            "user_time_us": 10_000,
            "system_time_us": 5_000,
            "wall_time_us": 16_000,
            "peak_memory_bytes": 3 * MIB,
            "voluntary_switches": 2,
            "involuntary_switches": 1,
            "minor_faults": 100,
            "read_calls": 12,
            "write_calls": 3,
            "read_bytes": 4_000,
            "write_bytes": 30,
            "stdout_bytes": 30,
        }
        return TestCaseResult.objects.create(submission=submission, **{**given, **columns})

    return make


@pytest.fixture
def worker(db: None) -> WorkerNode:
    """A living worker that has every language."""
    now = timezone.now()
    languages = {"cpp": "g++", "python": "Python", "rust": "rustc"}
    return WorkerNode.objects.create(name="worker", started_at=now, last_seen_at=now, languages=languages)
