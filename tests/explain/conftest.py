"""All labelled programs, graded once for all tests of a run."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from django.conf import settings

from sandbox.jail.nsjail import NsjailSandbox
from tests.explain.corpus import CHOSEN, LABELLED, Program
from tests.explain.grading import Graded, grade_all
from tests.explain.report import REPORT, line_precision, line_recall, score_of, write_report
from tests.extent import RUNS_ALL

GRADED = pytest.StashKey[list[Graded]]()


def _wanted(session: pytest.Session) -> list[Program]:
    """The programs that the chosen tests ask for; all when a test asks for all."""
    items = [item for item in session.items if isinstance(item, pytest.Function) and "graded" in item.fixturenames]
    chosen = [item.callspec.params["program"] if hasattr(item, "callspec") else None for item in items]
    return [program for program in CHOSEN if None in chosen or program in chosen]


@pytest.fixture(scope="session")
def graded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Graded]:
    """What was said of each program, by file."""
    work_root: Path = settings.WORK_DIR
    done = grade_all(_wanted(request.session), NsjailSandbox(work_root), work_root, tmp_path_factory.mktemp("labelled"))
    request.config.stash[GRADED] = done
    return {each.program.file: each for each in done}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    done = config.stash.get(GRADED, [])
    if not done:
        return
    score = score_of(done)
    terminalreporter.section("labelled programs")
    terminalreporter.line(
        f"{len(done)} of {len(LABELLED)} programs{'' if RUNS_ALL else ' (make test-explain runs all)'}: "
        f"precision {score.precision:.3f}, recall {score.recall:.3f}; "
        f"of lines {line_precision(done):.3f}, {line_recall(done):.3f}; "
        f"calls counted by name of {sum(bool(each.first.awaits) for each in done)}"
    )
    if RUNS_ALL and len(done) == len(LABELLED):
        write_report(done)
        terminalreporter.line(f"written: tests/explain/{REPORT.name}")
