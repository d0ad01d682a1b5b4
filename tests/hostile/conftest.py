"""The sandbox, the canaries and the report of the acceptance corpus."""

import os
import secrets
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from judge.grading.languages import detect_all
from judge.models import WorkerNode
from sandbox.cgroups.cgroup import ControlGroups
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.workdir import fresh_folder
from tests import kept
from tests.extent import RUNS_ALL
from tests.hostile.corpus.corpus import CANARY, CASES, CHOSEN, CORPUS, EXCLUDED, SOURCE
from tests.hostile.host.host import planted
from tests.hostile.report import REPORT, Line, write_report

# nobody else's: the tests look for what is left over; and a canary, for where it lies must not be told
_WORK_ROOT = Path(f"/var/lib/tally/test-hostile-{os.getpid()}-{CANARY}WORK-{secrets.token_hex(16)}")
LINES = pytest.StashKey[list[Line]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[LINES] = []


def canary(kind: str) -> str:
    """A token that must appear nowhere."""
    return f"{CANARY}{kind}-{secrets.token_hex(16)}"


@pytest.fixture(scope="session")
def work_root() -> Iterator[Path]:
    """The work folder of this run alone."""
    # No compile results, so every attack on the compiler is tried anew; and no file that another run can touch.
    with kept.lent(_WORK_ROOT, kept.HEADERS, take=shutil.copy2):
        yield _WORK_ROOT
    ControlGroups(_WORK_ROOT).close()
    shutil.rmtree(_WORK_ROOT)


@pytest.fixture(scope="session")
def sandbox(work_root: Path) -> NsjailSandbox:
    """The real sandbox."""
    return NsjailSandbox(work_root)


@pytest.fixture(scope="session")
def groups(sandbox: NsjailSandbox, work_root: Path) -> ControlGroups:
    """The control groups that the sandbox uses."""
    return ControlGroups(work_root)


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the problems. Where it lies must not be told either, so its name is a canary."""
    return tmp_path_factory.mktemp(canary("STORE"))


@pytest.fixture(scope="session")
def canaries(work_root: Path) -> Iterator[None]:
    """Secrets on the host, in the worker's environment and where another submission would lie."""
    environment = pytest.MonkeyPatch()
    environment.setenv("OJ_CANARY_ENV", canary("ENV"))
    with fresh_folder(work_root, "grade-") as other, planted(Path("/etc/oj-canary-host"), canary("HOST") + "\n"):
        (other / "source").mkdir()
        (other / "source" / "main.py").write_text(f"# {canary('SUBMISSION')}\n")
        yield
    environment.undo()


@pytest.fixture(scope="session")
def lines(request: pytest.FixtureRequest) -> list[Line]:
    """One line for each case, for the report."""
    return request.config.stash[LINES]


@pytest.fixture
def worker(db: None, redis_server: str) -> None:
    """The row of the worker that grades in place."""
    now = timezone.now()
    languages = {language: toolchain.version for language, toolchain in detect_all().items()}
    WorkerNode.objects.create(name=socket.gethostname(), started_at=now, last_seen_at=now, languages=languages)


@pytest.fixture
def neighbour(db: None) -> None:
    """Somebody else, with a secret in the database."""
    User.objects.create_user("neighbour", first_name=canary("DATABASE"))


@pytest.fixture
def author(db: None, client: Client) -> Client:
    """A contestant, signed in."""
    client.force_login(User.objects.create_user("author"))
    return client


def _counted(terminalreporter: pytest.TerminalReporter, file: str) -> tuple[int, int]:
    """How many tests of a file passed, and how many were run."""
    passed, failed = (
        sum(f"/{file}.py::" in report.nodeid for report in terminalreporter.stats.get(outcome, []))
        for outcome in ("passed", "failed")
    )
    return passed, passed + failed


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    lines = config.stash.get(LINES, [])
    if not lines:
        return
    failed = [line for line in lines if line.problems]
    terminalreporter.section("acceptance corpus")
    how = "" if RUNS_ALL else "; make test-hostile runs all"
    terminalreporter.line(f"{len(lines)} of {len(CASES)} cases were run, {len(failed)} failed{how}")
    terminalreporter.line(f"read from {SOURCE}")
    if any(line.category == "control" for line in failed):
        terminalreporter.line("a control failed: nothing else means anything")
    for what, why in EXCLUDED.items():
        terminalreporter.line(f"not run: {what}: {why}")
    if RUNS_ALL and (CORPUS is not None or len(lines) == len(CHOSEN)):
        through_site = {f"{name}.py": _counted(terminalreporter, name) for name in ("test_stored", "test_generated")}
        write_report(lines, through_site)
        terminalreporter.line(f"written: {REPORT}")
