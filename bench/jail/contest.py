"""Bare against jailed: the same program with the same kind of streams on the same core, alternating.

Bare is what `sandbox.doctor.overhead` measures: fork, exec and wait of a small static process. Jailed wall time is the
host's whole `Jail.run()` of one more case in an open jail; CPU time is what the sandbox reports. Who goes first
alternates.
"""

import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sandbox.doctor.overhead import BareRunner
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import MIB, Command, Ending, Jail, JailSpec, Limits, Mount, Outcome
from sandbox.workdir import fresh_folder

PROGRAMS = Path(__file__).parents[1] / "programs"
INSIDE = "/program"
LIMITS = Limits(cpu_time_ms=60_000, wall_time_ms=240_000, memory_bytes=256 * MIB, output_bytes=64 * MIB)


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """A figure of one bare and one jailed run, in microseconds."""

    bare: float
    jailed: float

    @property
    def ratio(self) -> float:
        """Jailed over bare."""
        return self.jailed / self.bare

    @property
    def difference(self) -> float:
        """Jailed less bare, in microseconds."""
        return self.jailed - self.bare


@dataclass(frozen=True, kw_only=True, slots=True)
class Bout:
    """One bare and one jailed run."""

    wall: Pair
    cpu: Pair


class Contest:
    """One open jail and one bare runner on the same core. Argument lists name our programs as "{}/tiny"."""

    def __init__(self, bare: BareRunner, jail: Jail, folder: Path) -> None:
        self._bare = bare
        self._jail = jail
        self._folder = folder
        self._bouts: Counter[tuple[str, ...]] = Counter()

    def bout(self, argv: tuple[str, ...], jailed_argv: tuple[str, ...] | None = None, series: str = "") -> Bout:
        """One run each, of the same program unless `jailed_argv` is given. Raises SandboxError.

        Who goes first alternates from one bout to the next of the same program in the same series: the second one
        finds pages in the machine that the first one had to wait for.
        """
        self._bouts[series, *argv] += 1
        if self._bouts[series, *argv] % 2:
            bare_wall, bare_cpu = self._run_bare(argv)
            wall, cpu = self._run_jailed(jailed_argv or argv)
        else:
            wall, cpu = self._run_jailed(jailed_argv or argv)
            bare_wall, bare_cpu = self._run_bare(argv)
        return Bout(wall=Pair(bare=bare_wall, jailed=wall), cpu=Pair(bare=bare_cpu, jailed=cpu))

    def profiled_cpu_us(self, argv: tuple[str, ...]) -> float:
        """CPU time of a run under the meter. Raises MeterUnavailable."""
        outcome, _ = self._jail.profile(self._command(argv), LIMITS)
        return _checked(outcome, argv).usage.cpu_time_us

    def _run_bare(self, argv: tuple[str, ...]) -> tuple[float, float]:
        run = self._bare.run(_filled(argv, str(self._folder)), stdout=self._fresh("bare.out"))
        return run.wall_time_us, run.cpu_time_us

    def _run_jailed(self, argv: tuple[str, ...]) -> tuple[float, float]:
        command = self._command(argv)
        began = time.perf_counter_ns()
        outcome = self._jail.run(command, LIMITS)
        wall_us = (time.perf_counter_ns() - began) / 1_000
        return wall_us, _checked(outcome, argv).usage.cpu_time_us

    def _command(self, argv: tuple[str, ...]) -> Command:
        return Command(argv=_filled(argv, INSIDE), stdout=self._fresh("jailed.out"))

    def _fresh(self, name: str) -> Path:
        path = self._folder / name
        path.unlink(missing_ok=True)
        return path


def _filled(argv: tuple[str, ...], folder: str) -> tuple[str, ...]:
    return tuple(part.replace("{}", folder) for part in argv)


def _checked(outcome: Outcome, argv: tuple[str, ...]) -> Outcome:
    if outcome.ending is not Ending.EXITED or outcome.exit_code != 0:
        raise SystemExit(f"{argv[0]} did not pass in the jail: {outcome.ending.value} {outcome.detail}")
    return outcome


@contextmanager
def built_programs(work_root: Path) -> Iterator[Path]:
    """A folder with the compiled C++ programs and the Python ones, which a jail's user can get to."""
    with fresh_folder(work_root, "bench-") as folder:
        for source in sorted(PROGRAMS.glob("*.cpp")):
            subprocess.run(["g++", "-O2", "-o", folder / source.stem, source], check=True)
        for source in sorted(PROGRAMS.glob("*.py")):
            shutil.copyfile(source, folder / source.name)
        folder.chmod(0o755)
        yield folder


@contextmanager
def open_contest(sandbox: NsjailSandbox, folder: Path, cpu: int) -> Iterator[Contest]:
    """A contest on core `cpu` with the programs in `folder`. Raises SandboxError."""
    with BareRunner(cpu) as bare, sandbox.open_jail(jail_spec(folder, cpu)) as jail:
        yield Contest(bare, jail, folder)


def jail_spec(folder: Path, cpu: int) -> JailSpec:
    """The jail that all figures are of."""
    return JailSpec(mounts=(Mount(source=folder, target=INSIDE),), cpu=cpu)
