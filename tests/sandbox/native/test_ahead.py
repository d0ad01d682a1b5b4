"""The process of the next run, which the init makes in advance: it is used, nobody can tell, and it may be missing."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from sandbox.cgroups.cgroupfs import processes
from sandbox.errors import WorkdirError
from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import MIB, Command, Ending, JailSpec, Limits, Mount, Outcome
from tests.sandbox.jailed import output
from tests.sandbox.metered import SLOWNESS
from tests.waiting import wait_for

SOURCE = Path(__file__).parents[1] / "programs" / "started.c"
PROGRAM = ("/program/started",)
LIMITS = Limits(memory_bytes=64 * MIB)
_RUNS = 12


@dataclass(frozen=True, kw_only=True)
class Start:
    """What a program found."""

    slept: int
    number: int
    files: int
    stack: int
    outcome: Outcome


@pytest.fixture
def jail(sandbox: NsjailSandbox, folder: Path) -> Iterator[OpenJail]:
    subprocess.run(["gcc", "-static", "-O1", "-o", folder / "started", SOURCE], check=True, timeout=60)
    with sandbox.open_jail(JailSpec(mounts=(Mount(source=folder, target="/program"),))) as opened:
        yield opened


def started(jail: OpenJail, folder: Path, limits: Limits = LIMITS) -> Start:
    target = folder / "out"
    target.unlink(missing_ok=True)
    outcome = jail.run(Command(argv=PROGRAM, stdout=target), limits)
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)
    slept, number, files, stack = map(int, target.read_text().split())
    return Start(slept=slept, number=number, files=files, stack=stack, outcome=outcome)


def waiting(jail: OpenJail) -> list[int]:
    """The processes in the groups of the next run."""
    assert jail._group._next is not None
    return processes(jail._group._next._folders["memory"])


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="made in advance on x86-64 only")
def test_a_quick_run_is_followed_by_one_whose_process_had_waited(jail: OpenJail, folder: Path) -> None:
    # The machine may be so slow that now and then nobody waits any more.
    runs = [(started(jail, folder).slept, waiting(jail)) for _ in range(100)]
    assert any(slept for slept, _ in runs)
    assert any(pids for _, pids in runs)


def test_a_process_that_waited_has_the_same_numbers(jail: OpenJail, folder: Path) -> None:
    runs = [started(jail, folder) for _ in range(_RUNS)]
    assert {run.number for run in runs} == {3}
    assert len({run.outcome.io for run in runs}) == 1
    assert len({run.outcome.usage.voluntary_switches for run in runs}) == 1
    faults = [run.outcome.usage.minor_faults for run in runs]
    assert max(faults) - min(faults) <= 4 * SLOWNESS  # they vary more there
    peaks = [run.outcome.usage.peak_memory_bytes for run in runs]
    assert max(peaks) - min(peaks) <= MIB


def test_a_process_that_waited_has_the_limits_of_its_run(jail: OpenJail, folder: Path) -> None:
    for files, stack in ((64, 8 * MIB), (100, 4 * MIB), (80, 16 * MIB)):
        run = started(jail, folder, replace(LIMITS, open_files=files, stack_bytes=stack))
        assert (run.files, run.stack) == (files, stack)


def test_nobody_waits_for_long(jail: OpenJail, folder: Path) -> None:
    started(jail, folder)
    wait_for(lambda: not waiting(jail), "the process is gone")
    assert started(jail, folder).number == 3


def test_a_run_begins_anew_when_its_process_was_killed(jail: OpenJail, folder: Path) -> None:
    for _ in range(_RUNS):
        started(jail, folder)
        for pid in waiting(jail):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        while waiting(jail):
            pass
        assert started(jail, folder).number == 3


def test_a_run_that_never_began_leaves_its_process_to_nobody(jail: OpenJail, folder: Path) -> None:
    taken = folder / "taken"
    taken.touch()
    for _ in range(_RUNS):
        started(jail, folder)
        with pytest.raises(WorkdirError):
            jail.run(Command(argv=PROGRAM, stdout=taken), LIMITS)
        assert started(jail, folder).number == 3
    started(jail, folder)
    folders = {group for group in jail._group._folders.values() for group in group.glob("run-*")}
    wait_for(lambda: not any(processes(group) for group in folders), "all groups are empty")


def test_another_program_takes_over_from_the_one_that_waits(jail: OpenJail, folder: Path) -> None:
    for _ in range(3):
        started(jail, folder)
        assert output(jail, "import os; print(os.getpid())", folder) == "3\n"


def test_a_closed_jail_has_nobody_waiting(sandbox: NsjailSandbox) -> None:
    with sandbox.open_jail(JailSpec()) as jail:
        jail.run(Command(argv=("/bin/true",)), LIMITS)
        folders = set(jail._group._folders.values())
    assert not any(group.exists() for group in folders)
