"""A profile pass that lasts long is cut, whether it computes or waits, and says when."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.jail.pair import Side, run_pair
from sandbox.passes.claims import LOCK_FOLDER
from sandbox.passes.rules import END_S, LONG_PASS_S, PASS_S
from sandbox.types import Command, Ending, JailSpec, Limits
from tests.sandbox.passes.hosts import Thread, through_grading

PATIENT = Limits(cpu_time_ms=20_000, wall_time_ms=40_000)
SLEEP = "import time; time.sleep(30)"
SPIN = "while True: pass"
FORKS_SLEEPERS = """
import os, time
while True:
    try:
        if os.fork() == 0: time.sleep(30)
    except OSError:
        time.sleep(30)
"""
STOPS_ITSELF = "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"


def python(source: str) -> Command:
    return Command(argv=("/usr/bin/python3", "-c", source))


def _grade_meanwhile(seconds: float) -> Thread:
    """A graded run that wants to begin in so many seconds."""

    def grade(folder: Path) -> None:
        time.sleep(seconds)
        through_grading(folder)

    return Thread(LOCK_FOLDER, grade)


@pytest.fixture
def somebody_waits() -> Iterator[None]:
    """Graded runs want to begin during the whole test."""
    is_over = False

    def grade_again_and_again(_: object) -> None:
        while not is_over:
            through_grading(LOCK_FOLDER)
            time.sleep(0.01)

    with Thread(LOCK_FOLDER, grade_again_and_again):
        yield
        is_over = True


@pytest.mark.parametrize("source", [SLEEP, SPIN, FORKS_SLEEPERS, STOPS_ITSELF])
@pytest.mark.usefixtures("somebody_waits")
def test_a_pass_that_lasts_long_is_cut_and_says_when(jail: OpenJail, source: str) -> None:
    outcome, profile = jail.profile(python(source), PATIENT)
    assert (outcome.ending, outcome.signal) == (Ending.SIGNALLED, signal.SIGKILL)
    assert 0 < profile.stopped_after_ms < LONG_PASS_S * 1_000
    assert profile.stopped_after_ms % 100 == 0  # what it did is told by its calls, not by the moment
    assert profile.syscalls["execve"] == 1


def test_where_nobody_waits_a_pass_goes_on(jail: OpenJail) -> None:
    outcome, profile = jail.profile(python(f"import time; time.sleep({2 * (PASS_S + END_S)})"), PATIENT)
    assert (outcome.ending, outcome.exit_code, profile.stopped_after_ms) == (Ending.EXITED, 0, 0)


def test_who_comes_later_waits_for_the_end_only(jail: OpenJail) -> None:
    with _grade_meanwhile(2 * PASS_S):
        _, profile = jail.profile(python(SLEEP), PATIENT)
    assert 2 * PASS_S * 1_000 - 200 < profile.stopped_after_ms < LONG_PASS_S * 1_000


@pytest.mark.thorough
def test_at_last_a_pass_is_cut_although_nobody_waits(jail: OpenJail) -> None:
    outcome, profile = jail.profile(python(SLEEP), PATIENT)
    assert outcome.signal == signal.SIGKILL
    assert LONG_PASS_S * 1_000 - 500 < profile.stopped_after_ms < PATIENT.wall_time_ms / 2


def test_a_pass_that_ends_by_itself_or_by_its_own_limit_is_not_cut(jail: OpenJail) -> None:
    outcome, profile = jail.profile(Command(argv=("/usr/bin/python3", "-c", "")), PATIENT)
    assert (outcome.ending, profile.stopped_after_ms) == (Ending.EXITED, 0)
    outcome, profile = jail.profile(python(SLEEP), Limits(wall_time_ms=100))
    assert (outcome.ending, profile.stopped_after_ms) == (Ending.WALL_LIMIT, 0)


def test_a_graded_run_may_sleep(jail: OpenJail) -> None:
    outcome = jail.run(python(f"import time; time.sleep({1.5 * PASS_S})"), PATIENT)
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)


@pytest.mark.usefixtures("somebody_waits")
def test_both_programs_of_a_pair_are_cut(sandbox: NsjailSandbox) -> None:
    with sandbox.open_jail(JailSpec()) as one, sandbox.open_jail(JailSpec()) as other:
        waits = Side(jail=one, command=python("input()"), limits=PATIENT)
        pair = run_pair(waits, Side(jail=other, command=python(SPIN), limits=PATIENT), is_profiled=True)
        assert pair.profile is not None
        assert (pair.program.signal, pair.interactor.signal) == (signal.SIGKILL, signal.SIGKILL)
        assert 0 < pair.profile.stopped_after_ms < PATIENT.wall_time_ms / 2
