"""The installation for fault injection, and the table of its results."""

from collections.abc import Iterator

import pytest

from bench.machine import describe
from tests.extent import RUNS_ALL
from tests.faults.installation.installation import Installation
from tests.faults.report import PAGE, REPORT, merged, table, write
from tests.faults.trial import Line, Trial

_LINES = pytest.StashKey[list[Line]]()
_COUNTS = pytest.StashKey[tuple[int, int]]()  # faults that are run, and that there are
_MACHINE = pytest.StashKey[dict[str, object]]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "fault(name): injects this fault")
    config.addinivalue_line("markers", "quick: a fault that is injected in `make test` too")
    config.stash[_LINES] = []
    config.stash[_MACHINE] = describe() if RUNS_ALL else {}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without TALLY_TESTS=all only the quick ones; the summary says so."""
    faults = [item for item in items if item.get_closest_marker("fault")]
    left_out = [] if RUNS_ALL else [item for item in faults if not item.get_closest_marker("quick")]
    items[:] = [item for item in items if item not in left_out]
    config.stash[_COUNTS] = (len(faults) - len(left_out), len(faults))
    if left_out:
        config.hook.pytest_deselected(items=left_out)


class Houses:
    """The installation that is in use; one that a fault has left broken is thrown away."""

    def __init__(self) -> None:
        self._house: Installation | None = None

    def get(self) -> Installation:
        """The one in use, or a new one."""
        if self._house is None:
            self._house = Installation()
            self._house.launch()
        return self._house

    def discard(self) -> None:
        """End it."""
        house, self._house = self._house, None
        if house is not None:
            house.close()


@pytest.fixture(scope="session")
def houses() -> Iterator[Houses]:
    """The installations of this run, one after the other."""
    kept = Houses()
    yield kept
    kept.discard()


@pytest.fixture
def trial(request: pytest.FixtureRequest, houses: Houses) -> Iterator[Trial]:
    """The trial of a test's fault; afterwards nothing may be wrong, and the fault has its line in the table."""
    mark = request.node.get_closest_marker("fault")
    house = houses.get()
    house.calm()
    trial = Trial(fault=mark.args[0], house=house)
    yield trial
    problems = trial.problems()
    request.config.stash[_LINES].append(trial.line())
    if problems or not trial.recover_s:
        houses.discard()  # what comes next must not suffer from this
    assert not problems, "\n".join(problems)
    assert trial.injected, "the fault was not injected"


@pytest.fixture
def house(trial: Trial) -> Installation:
    """The installation of the trial."""
    return trial.house


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    lines = config.stash.get(_LINES, [])
    if not lines:
        return
    run, all_there = config.stash[_COUNTS]
    terminalreporter.section("faults")
    for text in table(merged(lines)):
        terminalreporter.line(text)
    terminalreporter.line(
        f"{run} of {all_there} tests of faults were run{'' if RUNS_ALL else '; make test-faults runs all'}"
    )
    if RUNS_ALL and config.args == ["tests/faults"] and not config.option.keyword and len(lines) == all_there:
        write(merged(lines), config.stash[_MACHINE])
        terminalreporter.line(f"written: bench/reports/{REPORT.name} and {PAGE.name}")
