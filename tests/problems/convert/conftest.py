"""Problems in other formats, written for one test and staged as the upload page does it."""

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from problems.archive.upload import StagedPackage, staged_package
from problems.package import PackageErrors
from tests.problems.archives import Raw, zipped

Files = Mapping[str, str | bytes]
Stage = Callable[..., AbstractContextManager[StagedPackage]]
Refusals = Callable[..., list[str]]


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """Yields the staged package of a zip with these files."""

    @contextmanager
    def staged(files: Files, name: str = "sums.zip") -> Iterator[StagedPackage]:
        extra = [Raw(file, text if isinstance(text, bytes) else text.encode()) for file, text in files.items()]
        with staged_package(io.BytesIO(zipped({}, extra)), staging_root=tmp_path / "stage", name=name) as package:
            yield package

    return staged


@pytest.fixture
def refusals(stage: Stage, tmp_path: Path) -> Refusals:
    """What is wrong with a zip of these files; nothing of it may be left."""

    def refused(files: Files, name: str = "sums.zip") -> list[str]:
        with pytest.raises(PackageErrors) as caught, stage(files, name):
            pass
        assert list((tmp_path / "stage").iterdir()) == []
        return [str(error) for error in caught.value.errors]

    return refused
