"""Somebody who edits a problem of theirs."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from problems.models import Problem
from problems.store.publishing import publish
from tests.web.views.problems.edit.form import Publisher
from web.identity.accounts import make_instructor


@pytest.fixture
def owner(client: Client, student: User) -> Client:
    """The student made an instructor who is no staff, and signed in."""
    make_instructor(student)
    User.objects.update(is_staff=False)
    client.force_login(student)
    return client


@pytest.fixture
def published(tmp_path: Path, student: User) -> Publisher:
    """A function that publishes these files as the student's problem "twice"."""

    def make(files: Mapping[str, str]) -> Problem:
        root = tmp_path / "twice"
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(text.encode())
        return publish(root, owner=student).problem

    return make
