"""Run a submission's program on one test case: the input on stdin, its output into files, within the problem's limits.

The profile pass runs the same command once more under the kernel meter, with room for what the meter itself costs.
It gets no more wall time, since it holds off every graded run of the host.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from judge.compilation import Executable
from problems.package import ProblemLimits, TestCase
from sandbox.types import Command, Jail, Limits, Outcome, Profile

EXCERPT_BYTES = 4_096
_PROFILE_CPU_FACTOR = 2  # counting costs about 0.1 us per call; the pass gives no verdict, so room does no harm


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """What a run left: its outcome and, on the host, the files with its output."""

    outcome: Outcome
    stdout: Path
    stderr: Path


def run_limits(limits: ProblemLimits) -> Limits:
    """The limits of one run. The wall limit is looser than the CPU limit: three times as much, at least 2 s more."""
    return Limits(
        cpu_time_ms=limits.time_limit_ms,
        wall_time_ms=max(3 * limits.time_limit_ms, limits.time_limit_ms + 2_000),
        memory_bytes=limits.memory_bytes,
        output_bytes=limits.output_bytes,
        processes=limits.processes,
    )


def run_case(jail: Jail, executable: Executable, case: TestCase, limits: ProblemLimits, folder: Path) -> Run:
    """Run one case; its output lies in `folder` until the next one. Raises SandboxError."""
    command = _command(executable, case, folder)
    outcome = jail.run(command, run_limits(limits))
    return Run(outcome=outcome, stdout=folder / "stdout", stderr=folder / "stderr")


def profile_run(jail: Jail, executable: Executable, case: TestCase, limits: ProblemLimits, folder: Path) -> Profile:
    """Run one case under the meter. Raises MeterUnavailable when this host cannot count, SandboxError."""
    run = run_limits(limits)
    roomy = replace(run, cpu_time_ms=run.cpu_time_ms * _PROFILE_CPU_FACTOR)
    _, profile = jail.profile(_command(executable, case, folder), roomy)
    return profile


def read_excerpt(path: Path, max_bytes: int = EXCERPT_BYTES) -> bytes:
    """The first bytes of a file, for people."""
    with path.open("rb") as file:
        return file.read(max_bytes)


def _command(executable: Executable, case: TestCase, folder: Path) -> Command:
    for name in ("stdout", "stderr"):
        (folder / name).unlink(missing_ok=True)
    return Command(argv=executable.argv, stdin=case.input, stdout=folder / "stdout", stderr=folder / "stderr")
