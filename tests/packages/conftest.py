"""The sandbox that verifies real packages, and the report of what became of each."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.cgroups.cgroup import ControlGroups
from sandbox.jail.nsjail import NsjailSandbox
from tests import kept
from tests.extent import RUNS_ALL
from tests.packages.report import REPORT, Became, explained, write_report
from tests.packages.sdists import real_packages

_WORK_ROOT = Path(f"/var/lib/tally/test-packages-{os.getpid()}")
BECAME = pytest.StashKey[list[Became]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[BECAME] = []


@pytest.fixture(scope="session")
def work_root() -> Iterator[Path]:
    """The work folder of this run alone."""
    with kept.lent(_WORK_ROOT, kept.RESULTS, kept.HEADERS):
        yield _WORK_ROOT
    ControlGroups(_WORK_ROOT).close()
    shutil.rmtree(_WORK_ROOT)


@pytest.fixture(scope="session")
def sandbox(work_root: Path) -> NsjailSandbox:
    """The real sandbox."""
    return NsjailSandbox(work_root)


@pytest.fixture
def became(pytestconfig: pytest.Config) -> list[Became]:
    """What became of the packages so far."""
    return pytestconfig.stash[BECAME]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    lines = config.stash[BECAME]
    if not lines:
        return
    terminalreporter.section("real problem packages")
    run = sum(line.run for line in lines)
    as_expected = sum(line.as_expected for line in lines)
    terminalreporter.line(f"{len(lines)} packages; {as_expected} of {run} jury submissions ended as their setters say")
    terminalreporter.line(explained(lines))
    if RUNS_ALL and len(lines) == len(real_packages()):
        write_report(lines)
        terminalreporter.line(f"written: tests/packages/{REPORT.name}")
    elif not RUNS_ALL:
        terminalreporter.line("every twelfth was run, none of those that take long; make test-packages runs all")
