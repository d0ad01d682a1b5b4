"""A profile pass that waits for a second in all is stopped, one that computes is not, however busy the machine is."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from sandbox.jail.jail import OpenJail
from sandbox.jail.pair import Side, run_pair
from sandbox.meter.idleness import MOST_IDLE_S
from sandbox.nsjail import NsjailSandbox
from sandbox.types import Command, Ending, JailSpec, Limits

PATIENT = Limits(cpu_time_ms=20_000, wall_time_ms=40_000)
SLEEP = "import time; time.sleep(30)"
SPIN = "import time\nwhile time.process_time() < {}: pass"
SLEEPER_IN_PARTS = """
import time
for _ in range(200):
    began = time.process_time()
    while time.process_time() - began < 0.02: pass
    time.sleep(0.13)
"""
FORKS_SLEEPERS = """
import os, time
while True:
    try:
        if os.fork() == 0: time.sleep(30)
    except OSError:
        time.sleep(30)
"""
# Threads that wait for each other's core are ready for longer, all together, than time passes.
CROWD = """
import os, time
for _ in range(30):
    if os.fork() == 0:
        while True:
            time.sleep(0.4)
            began = time.process_time()
            while time.process_time() - began < 0.004: pass
time.sleep(30)
"""


def python(source: str) -> Command:
    return Command(argv=("/usr/bin/python3", "-c", source))


@pytest.fixture
def spinners() -> Iterator[int]:
    """Two processes that want the same core all the time; its number."""
    core = max(os.sched_getaffinity(0))
    source = f"import os; os.sched_setaffinity(0, {{{core}}})\nwhile True: pass"
    with ExitStack() as stack:
        for _ in range(2):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", source]))
            stack.callback(process.kill)
        yield core


@pytest.mark.parametrize("source", [SLEEP, SLEEPER_IN_PARTS, FORKS_SLEEPERS, CROWD])
def test_a_pass_that_waits_is_stopped_and_says_when(jail: OpenJail, source: str) -> None:
    outcome, profile = jail.profile(python(source), PATIENT)
    assert (outcome.ending, outcome.signal) == (Ending.SIGNALLED, signal.SIGKILL)
    assert MOST_IDLE_S * 1_000 <= profile.stopped_after_ms < PATIENT.wall_time_ms / 2
    assert profile.stopped_after_ms % 100 == 0  # what it did is told by its calls, not by the moment
    assert profile.syscalls["execve"] == 1


@pytest.mark.thorough
def test_a_pass_that_computes_comes_to_its_end_although_it_gets_a_third_of_a_core(
    sandbox: NsjailSandbox, spinners: int
) -> None:
    with sandbox.open_jail(JailSpec(cpu=spinners)) as jail:
        outcome, profile = jail.profile(python(SPIN.format(3)), PATIENT)
    assert (outcome.ending, outcome.exit_code, profile.stopped_after_ms) == (Ending.EXITED, 0, 0)
    assert outcome.usage.wall_time_us - outcome.usage.cpu_time_us > MOST_IDLE_S * 1_000_000  # it did wait for the core


def test_a_graded_run_may_sleep(jail: OpenJail) -> None:
    outcome = jail.run(python(f"import time; time.sleep({1.5 * MOST_IDLE_S})"), PATIENT)
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)


def test_a_program_may_wait_for_an_interactor_that_computes_but_not_both_for_nothing(sandbox: NsjailSandbox) -> None:
    with sandbox.open_jail(JailSpec()) as one, sandbox.open_jail(JailSpec()) as other:
        waits = Side(jail=one, command=python("input()"), limits=PATIENT)
        computes = Side(jail=other, command=python(SPIN.format(2) + "\nprint()"), limits=PATIENT)
        pair = run_pair(waits, computes, is_profiled=True)
        assert pair.profile is not None
        assert (pair.program.exit_code, pair.interactor.exit_code, pair.profile.stopped_after_ms) == (0, 0, 0)
        pair = run_pair(waits, Side(jail=other, command=python(SLEEP), limits=PATIENT), is_profiled=True)
        assert pair.profile is not None
        assert MOST_IDLE_S * 1_000 <= pair.profile.stopped_after_ms < PATIENT.wall_time_ms / 2
