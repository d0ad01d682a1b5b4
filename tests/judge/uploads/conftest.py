"""Uploads as a worker leaves them, and a store of their own."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from judge.grading.verdicts import Verdict
from judge.grading.verification.verified import ReportRecord, SubmissionRecord
from judge.models import PackageUpload, Status
from problems.loading.loading import load_package
from problems.store.publishing import describe, keep
from problems.store.store import PackageStore
from tests.judge.packed import FILES

SOLVED = ReportRecord(ok=True, submissions=(SubmissionRecord(path="accepted/a.py", verdict=Verdict.AC),))
UploadMaker = Callable[..., PackageUpload]


@pytest.fixture
def store(tmp_path: Path, settings: Settings) -> PackageStore:
    """A store of the test's own."""
    settings.STORE_DIR = tmp_path / "store"
    return PackageStore(settings.STORE_DIR)


@pytest.fixture
def verified(tmp_path: Path, author: User) -> UploadMaker:
    """A function that makes an upload as a worker leaves it; keyword arguments replace its columns."""

    def make(changes: dict[str, str] | None = None, **columns: object) -> PackageUpload:
        folder = tmp_path / f"{len(list(tmp_path.iterdir()))}/double"
        for name, text in {**FILES, **(changes or {})}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        package = load_package(folder)
        keep(package)
        given = {"owner": author, "name": "double.zip", "size": 9, "status": Status.DONE, "slug": "double"}
        found = {"digest": package.digest, "columns": describe(package), "report": SOLVED, "is_clean": True}
        return PackageUpload.objects.create(**{**given, **found, **columns})

    return make
