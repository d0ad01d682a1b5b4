"""A real jail for the tests of the sandbox."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.cgroups.cgroup import ControlGroups
from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Image, JailSpec
from sandbox.workdir import fresh_folder

WORK_ROOT = Path(f"/var/lib/tally/test-sandbox-{os.getpid()}")  # nobody else's: tests look for what is left over


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the jail's user can get to."""
    with fresh_folder(WORK_ROOT, "files-") as made:
        yield made


@pytest.fixture(scope="session")
def sandbox() -> Iterator[NsjailSandbox]:
    sandbox = NsjailSandbox(WORK_ROOT)
    with sandbox.open_jail(JailSpec()):
        pass  # starts the fork server, which stays
    yield sandbox
    ControlGroups(WORK_ROOT).close()
    shutil.rmtree(WORK_ROOT)


@pytest.fixture
def jail(sandbox: NsjailSandbox) -> Iterator[OpenJail]:
    with sandbox.open_jail(JailSpec()) as opened:
        yield opened


@pytest.fixture
def tools_jail(sandbox: NsjailSandbox) -> Iterator[OpenJail]:
    """One that shows the host's own programs, a shell among them."""
    with sandbox.open_jail(JailSpec(image=Image.TOOLS)) as opened:
        yield opened
