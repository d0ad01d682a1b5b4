"""Time that was ours is never the program's: the init, the program or both stopped from outside during a run."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.errors import DisturbedError
from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.jail.pair import Side, run_pair
from sandbox.types import MIB, Command, Ending, Limits
from tests.processes import descendants, name_of
from tests.sandbox.conftest import WORK_ROOT
from tests.sandbox.jail.stopping import running, stop_for, stopped_once
from tests.sandbox.jailed import TOOLS
from tests.waiting import wait_for

PAUSE_S = 1.3
LIMITS = Limits(cpu_time_ms=500, wall_time_ms=900, memory_bytes=64 * MIB)  # of wall time less than the pause
PATIENT = Limits(cpu_time_ms=500, wall_time_ms=8_000, memory_bytes=64 * MIB)
BRIEF = Command(argv=("/bin/sh", "-c", "echo begun; exec sleep 0.5"))
ENDLESS = Command(argv=("/bin/sleep", "60"))
PYTHON = ("/usr/bin/python3", "-I", "-c")


def to(folder: Path) -> Command:
    return Command(argv=BRIEF.argv, stdout=folder / "said")


def test_an_init_that_was_stopped_counts_no_time_for_the_program(jail: OpenJail, folder: Path) -> None:
    with stopped_once(lambda: [jail._init.pid] if running(jail, "sleep") else [], PAUSE_S):
        outcome = jail.run(to(folder), LIMITS)
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)
    assert outcome.watch.gap_us > LIMITS.wall_time_ms * 1_000 > outcome.usage.wall_time_us
    assert outcome.watch.late_us >= outcome.watch.longest_late_us >= outcome.watch.gap_us


def test_an_init_and_its_program_stopped_together_lose_nothing(jail: OpenJail, folder: Path) -> None:
    def both() -> list[int]:
        pids = running(jail, "sleep")
        return [jail._init.pid, *pids] if pids else []

    with stopped_once(both, PAUSE_S):
        outcome = jail.run(to(folder), LIMITS)
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)
    assert outcome.watch.gap_us > LIMITS.wall_time_ms * 1_000 > outcome.usage.wall_time_us


@pytest.mark.thorough
def test_an_init_that_is_stopped_before_it_watches_counts_no_time_for_the_program(jail: OpenJail) -> None:
    for _ in range(4):  # at some moment of the launch, or before it
        with stopped_once(lambda: [jail._init.pid], PAUSE_S):
            outcome = jail.run(Command(argv=("/bin/sleep", "0.05")), LIMITS)
        assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0), outcome


def test_a_program_that_was_stopped_alone_is_run_again(jail: OpenJail, folder: Path) -> None:
    with stopped_once(lambda: running(jail, "sleep"), 2 * PAUSE_S):
        outcome = jail.run(to(folder), LIMITS)
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)
    assert (folder / "said").read_text() == "begun\n"
    assert not outcome.watch.stopped_us


@pytest.mark.thorough
def test_a_child_that_is_stopped_at_the_limit_has_its_program_run_again(jail: OpenJail) -> None:
    command = Command(argv=("/bin/sh", "-c", "sleep 0.5; exit 7"))
    with stopped_once(lambda: running(jail, "sleep")[1:], 2 * PAUSE_S):
        outcome = jail.run(command, LIMITS)
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 7)


def test_an_ordinary_run_is_seen_neither_stopped_nor_asleep(jail: OpenJail) -> None:
    watches = [jail.run(Command(argv=("/bin/true",)), LIMITS).watch for _ in range(200)]
    assert {(watch.stopped_us, watch.suspended_us) for watch in watches} == {(0, 0)}


def test_a_stop_within_the_limit_needs_no_second_run(jail: OpenJail, folder: Path) -> None:
    with stopped_once(lambda: running(jail, "sleep"), 0.5):
        outcome = jail.run(to(folder), PATIENT)
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)
    assert outcome.watch.stopped_us > 0  # the run that was stopped is the one that counts


@pytest.mark.parametrize(
    "code",
    [
        "import os, signal\nwhile True: os.kill(os.getpid(), signal.SIGSTOP)",
        "import os, signal, time\nif os.fork() == 0: os.kill(os.getppid(), signal.SIGSTOP)\ntime.sleep(60)",
        "import os, signal, time\nif os.fork() == 0: os.kill(os.getpid(), signal.SIGSTOP)\ntime.sleep(60)",
    ],
    ids=["itself", "its parent", "its child"],
)
def test_a_program_that_stops_itself_hits_its_limit(jail: OpenJail, code: str) -> None:
    outcome = jail.run(Command(argv=(*PYTHON, code)), LIMITS)
    assert outcome.ending is Ending.WALL_LIMIT
    assert outcome.watch.stopped_us > 0


@pytest.mark.thorough
def test_a_program_that_sleeps_too_long_hits_its_limit_whatever_stops_the_init(jail: OpenJail) -> None:
    with stopped_once(lambda: [jail._init.pid] if running(jail, "sleep") else [], PAUSE_S):
        outcome = jail.run(ENDLESS, LIMITS)
    assert outcome.ending is Ending.WALL_LIMIT
    assert outcome.usage.wall_time_us >= LIMITS.wall_time_ms * 1_000


@pytest.mark.thorough
def test_a_run_that_cannot_be_made_again_is_our_failure(jail: OpenJail) -> None:
    jail.run(Command(argv=("/bin/true",), keeps_scratch=True), LIMITS)
    goes_on = Command(argv=BRIEF.argv, goes_on=True, keeps_scratch=True)
    with stopped_once(lambda: running(jail, "sleep"), 2 * PAUSE_S), pytest.raises(DisturbedError):
        jail.run(goes_on, LIMITS)
    assert jail.run(Command(argv=("/bin/true",)), LIMITS).exit_code == 0


@pytest.fixture
def jail(sandbox: NsjailSandbox) -> Iterator[OpenJail]:
    """One with a shell."""
    with sandbox.open_jail(TOOLS) as opened:
        yield opened


@pytest.fixture
def other(sandbox: NsjailSandbox) -> Iterator[OpenJail]:
    with sandbox.open_jail(TOOLS) as opened:
        yield opened


WAITS = "print(input())"
ASKS = "import subprocess\nsubprocess.run(['/bin/sleep', '0.5'])\nprint('begin', flush=True)\nassert input() == 'begin'"


@pytest.mark.parametrize("with_init", [True, False], ids=["with its init", "alone"])
@pytest.mark.thorough
def test_a_program_whose_partner_was_stopped_talks_again(jail: OpenJail, other: OpenJail, *, with_init: bool) -> None:
    def whom() -> list[int]:
        pids = running(other, "sleep")
        return [*([other._init.pid] if with_init else []), *pids] if pids else []

    program = Side(jail=jail, command=Command(argv=(*PYTHON, WAITS)), limits=LIMITS)
    interactor = Side(jail=other, command=Command(argv=(*PYTHON, ASKS)), limits=PATIENT)
    with stopped_once(whom, 2 * PAUSE_S):
        pair = run_pair(program, interactor)
    assert (pair.program.ending, pair.program.exit_code) == (Ending.EXITED, 0)
    assert (pair.interactor.ending, pair.interactor.exit_code) == (Ending.EXITED, 0)


@pytest.mark.thorough
def test_a_host_that_stood_still_and_emptied_no_pipe_runs_the_program_again(folder: Path) -> None:
    floods = "import os, sys, time\nos.write(2, b'x')\ntime.sleep(0.5)\nsys.stdout.write('y' * 300_000)"
    child = subprocess.Popen(
        (
            *(sys.executable, "-m", "sandbox", "--work-dir", str(WORK_ROOT), "run", "--json"),
            *("--destination", "pipe", "--wall-ms", "1500", "--stdout", str(folder / "out"), "--", *PYTHON, floods),
        ),
        stdout=subprocess.PIPE,
    )
    try:
        wait_for(lambda: "python3" in map(name_of, list(descendants(child.pid))[1:]), "the program runs")
        stop_for([child.pid], 2 * PAUSE_S)
        said, _ = child.communicate(timeout=60)
    finally:
        child.kill()
        child.wait()
    told = json.loads(said)
    assert (told["ending"], told["exit_code"]) == ("exited", 0)
    assert (folder / "out").read_text() == "y" * 300_000
    (folder / "out").unlink()
