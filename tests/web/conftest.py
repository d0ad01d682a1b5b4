"""People and problems for the pages' tests."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from problems.models import Problem, ProblemVersion


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
        samples=[{"name": "sample/1", "input": "1 2\n", "answer": "3\n"}],
        time_limit_ms=1_500,
        memory_bytes=256 * 1024 * 1024,
        output_bytes=8 * 1024 * 1024,
        code_bytes=2_000,
        test_case_count=12,
    )
    made.save()
    return made
