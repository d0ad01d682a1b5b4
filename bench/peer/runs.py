"""Run one program once: bare, in Tally's sandbox, or in another one, through the same interface.

The wall time of a sandbox that is a command counts from the fork of the command until it was reaped, by
`sandbox.doctor.overhead`: nothing of Python is in it. Tally's is the whole `Jail.run()`, and that of a server is a
whole request and its answer. What a program writes goes to a file in memory, whatever runs it, since go-judge has no
other place for it.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from bench.jail.contest import INSIDE, LIMITS
from sandbox.doctor.overhead import BareRunner
from sandbox.types import Command, Ending, Jail, JailSpec, Sandbox as JailSandbox


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """A program to run. Its arguments name our programs as "{}/tiny"; `prints` is its output, byte for byte."""

    argv: tuple[str, ...]
    prints: bytes

    def argv_in(self, folder: str) -> tuple[str, ...]:
        """The arguments where our programs lie in this folder."""
        return tuple(part.replace("{}", folder) for part in self.argv)


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """One run, in microseconds: wall time, and the CPU time that the sandbox reports."""

    wall_us: float
    cpu_us: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Places:
    """Two folders: our programs, which any user can reach, and their output."""

    programs: Path
    written: Path


class WrongRun(Exception):
    """A sandbox ran the program wrongly: it gets no figures."""


class Sandbox(Protocol):
    """Bare execution, Tally's sandbox or another one, ready to run."""

    def run(self, program: Program) -> Run:
        """One run with fresh output, which is checked. Raises WrongRun."""


@runtime_checkable
class Opens(Protocol):
    """A sandbox that has something to open before the first run of a submission."""

    def opening_us(self) -> float:
        """Open it and close it once; the microseconds until it can run something. Raises WrongRun."""


class Bare:
    """No sandbox: fork, exec and wait."""

    def __init__(self, runner: BareRunner, places: Places) -> None:
        self._runner = runner
        self._programs = str(places.programs)
        self._stdout = places.written / "bare.out"

    def run(self, program: Program) -> Run:
        """One run. Raises WrongRun, and JailError when it fails."""
        run = self._runner.run(program.argv_in(self._programs), stdout=fresh(self._stdout))
        check(self._stdout.read_bytes(), program)
        return Run(wall_us=run.wall_time_us, cpu_us=run.cpu_time_us)


class Tally:
    """An open jail, kept as for a submission."""

    def __init__(self, jail: Jail, places: Places, sandbox: JailSandbox, spec: JailSpec) -> None:
        self._jail = jail
        self._stdout = places.written / "tally.out"
        self._sandbox, self._spec = sandbox, spec

    def opening_us(self) -> float:
        """Open another jail; closing it is not in it, since no verdict waits for that. Raises SandboxError."""
        began = time.perf_counter_ns()
        with self._sandbox.open_jail(self._spec):
            return (time.perf_counter_ns() - began) / 1_000

    def run(self, program: Program) -> Run:
        """One run. Raises WrongRun and SandboxError."""
        command = Command(argv=program.argv_in(INSIDE), stdout=fresh(self._stdout))
        began = time.perf_counter_ns()
        outcome = self._jail.run(command, LIMITS)
        wall_us = (time.perf_counter_ns() - began) / 1_000
        if outcome.ending is not Ending.EXITED or outcome.exit_code != 0:
            raise WrongRun(f"{program.argv[0]}: {outcome.ending.value} {outcome.detail}")
        check(self._stdout.read_bytes(), program)
        return Run(wall_us=wall_us, cpu_us=outcome.usage.cpu_time_us)


def check(printed: bytes, program: Program) -> None:
    """Raises WrongRun unless the program wrote what it should: one that fails at once must not count as fast."""
    if printed != program.prints:
        raise WrongRun(f"{program.argv[0]} wrote {len(printed)} bytes, not the {len(program.prints)} that it should")


def fresh(path: Path) -> Path:
    """The path, with no file at it."""
    path.unlink(missing_ok=True)
    return path
