"""Packages written for one test."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.storage import storages
from pytest_django import Settings

from problems.store.cached_store import CachedStore
from problems.store.remote import Remote
from problems.store.store import PackageStore
from tests.problems.store.machines import GIB
from tests.problems.store.s3 import S3Server
from web.settings.connections import package_storage

LEGACY = {
    "problem.yaml": "name: A plus B\nlimits: {time_limit: 2}\n",
    "problem_statement/problem.en.tex": "\\problemname{A plus B}\nAdd $a$ and $b$.\n",
    "data/sample/1.in": "1 2\n",
    "data/sample/1.ans": "3\n",
    "data/secret/1.in": "2 3\n",
    "data/secret/1.ans": "5\n",
    "submissions/accepted/add.py": "print(sum(map(int, input().split())))\n",
}
NEW = {
    **{name: text for name, text in LEGACY.items() if not name.startswith("problem_statement")},
    "problem.yaml": (
        "problem_format_version: 2025-09\nname: A plus B\nuuid: 1b6d6f19-105f-4b3b-9c31-e87a7524d243\n"
        "limits: {time_limit: 2}\n"
    ),
    "statement/problem.en.md": "Add $a$ and $b$.\n",
}

Files = Mapping[str, str | bytes | None]
Write = Callable[[Files], Path]


def write_files(root: Path, files: Files) -> Path:
    """Write the files below the root; None stands for "not there"."""
    for name, content in files.items():
        if content is not None:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


@pytest.fixture
def legacy(tmp_path: Path) -> Write:
    """Writes a good legacy package with these files changed (None: left out) and returns its folder."""
    return lambda changes: write_files(tmp_path / "aplusb", {**LEGACY, **changes})


@pytest.fixture
def new(tmp_path: Path) -> Write:
    """The same for a good 2025-09 package."""
    return lambda changes: write_files(tmp_path / "aplusb", {**NEW, **changes})


@pytest.fixture
def store(tmp_path: Path, settings: Settings) -> PackageStore:
    """A store of the test's own, which the settings name."""
    settings.STORE_DIR = tmp_path / "store"
    return PackageStore(settings.STORE_DIR)


@pytest.fixture
def alice(db: None) -> User:
    """Somebody who publishes."""
    return User.objects.create_user("alice")


@pytest.fixture
def bucket(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty bucket, which the settings name."""
    name = s3_server.new_bucket()
    monkeypatch.setenv("TALLY_PACKAGES", s3_server.address(name))
    return name


@pytest.fixture
def machine(bucket: str, tmp_path: Path) -> Callable[..., CachedStore]:
    """A function that makes the store of one machine, by its name."""

    def make(name: str, most_bytes: int = GIB) -> CachedStore:
        return CachedStore(tmp_path / name, Remote(storages.create_storage(package_storage() or {})), most_bytes)

    return make
