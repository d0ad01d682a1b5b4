"""A real jail for the tests of the sandbox."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.nsjail import NsjailJail, NsjailSandbox
from sandbox.types import JailSpec
from sandbox.workdir import fresh_folder

WORK_ROOT = Path("/var/lib/tally/test-sandbox")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the jail's user can get to."""
    with fresh_folder(WORK_ROOT, "files-") as made:
        yield made


@pytest.fixture(scope="session")
def sandbox() -> NsjailSandbox:
    return NsjailSandbox(WORK_ROOT)


@pytest.fixture
def jail(sandbox: NsjailSandbox) -> Iterator[NsjailJail]:
    with sandbox.open_jail(JailSpec()) as opened:
        yield opened
