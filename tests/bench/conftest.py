"""The benchmark's programs, built once, and a work folder for its jails."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.jail.contest import built_programs
from sandbox.cgroups.cgroup import ControlGroups

WORK_ROOT = Path(f"/var/lib/tally/test-bench-{os.getpid()}")


@pytest.fixture(scope="session")
def work_root() -> Iterator[Path]:
    yield WORK_ROOT
    ControlGroups(WORK_ROOT).close()
    shutil.rmtree(WORK_ROOT)


@pytest.fixture(scope="session")
def programs(work_root: Path) -> Iterator[Path]:
    with built_programs(work_root) as folder:
        yield folder
