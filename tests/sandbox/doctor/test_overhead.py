"""What a worker says about its own sandbox is measured, and grows when the sandbox gets slower."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from sandbox.doctor.overhead import USUAL_WALL_US, Overhead, measure
from sandbox.errors import MeterProblem
from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Command, JailSpec, Limits, Outcome, Profile

DELAY_US = 20_000


class SlowJail:
    """The real jail, with a pause around each run."""

    def __init__(self, jail: OpenJail) -> None:
        self._jail = jail

    def run(self, command: Command, limits: Limits) -> Outcome:
        time.sleep(DELAY_US / 1e6)
        return self._jail.run(command, limits)

    def profile(self, command: Command, limits: Limits) -> tuple[Outcome, Profile]:
        return self._jail.profile(command, limits)


class SlowSandbox:
    """Opens slow jails."""

    def __init__(self, sandbox: NsjailSandbox) -> None:
        self._sandbox = sandbox

    @contextmanager
    def open_jail(self, spec: JailSpec) -> Iterator[SlowJail]:
        with self._sandbox.open_jail(spec) as jail:
            yield SlowJail(jail)

    def meter_problem(self) -> MeterProblem | None:
        return self._sandbox.meter_problem()


def test_a_jail_costs_something_and_starting_a_program_too(sandbox: NsjailSandbox) -> None:
    overhead = measure(sandbox, runs=20)
    assert overhead.runs == 20
    assert overhead.wall_us > 0
    assert overhead.empty_cpu_us > abs(overhead.cpu_us)


def test_a_slower_sandbox_is_seen(sandbox: NsjailSandbox) -> None:
    quick, slow = measure(sandbox, runs=5), measure(SlowSandbox(sandbox), runs=5)
    assert slow.wall_us - quick.wall_us > DELAY_US * 0.8
    assert slow.empty_cpu_us < quick.empty_cpu_us + DELAY_US / 2  # the pause is in no program's CPU time
    assert not slow.is_usual


def test_what_is_usual_has_a_bound() -> None:
    def with_wall(wall_us: int) -> Overhead:
        return Overhead(wall_us=wall_us, cpu_us=0, empty_cpu_us=200, runs=100)

    assert with_wall(USUAL_WALL_US).is_usual
    assert not with_wall(USUAL_WALL_US + 1).is_usual
