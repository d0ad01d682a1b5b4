"""Run a program with more time than its limit, judge that by the problem's own limits, and compare what two runs wrote.

How it works: a patient run may take ten times as long as a judged one. Once it has taken as long as that one, it is
ended as soon as somebody waits who goes before it; they go first, and it is made again. A run that writes more to
stderr than the sandbox keeps is made again with /dev/null there: what nobody checks is no reason to show nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from judge.grading.checkers.checking import Checker, blaming_package
from judge.grading.events import GradingJob, MeasuredRun
from judge.grading.near_limit import clock_us
from judge.grading.running.execution import Program, patient_limits
from judge.grading.submission.budget import CallBudget
from judge.grading.verdicts import Verdict, verdict_of_ending
from problems.package import TestCase
from sandbox.errors import GaveWay
from sandbox.types import Limits, Outcome

CHEAP_US = 700_000  # of wall time, for two runs: then they run in turns again
ROUNDS = 3
_MADE_AGAIN = 2  # so many times; then the rerun gives way as a whole
_CHUNK_BYTES = 1024 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class PatientRun:
    """The outcome of a patient run, and whether its stderr was kept."""

    outcome: Outcome
    keeps_stderr: bool


def run_patiently(
    job: GradingJob, program: Program, case: TestCase, *, keeps_stderr: bool = True, **how: Any
) -> PatientRun:
    """Run a case with more time than the limit; without its stderr where that is too much to keep.

    `how`: of the command. Raises GaveWay, PackageError, SandboxError.
    """
    limits = patient_limits(program.run_limits)
    outcome = run_within(job, program, case, limits, drops_stderr=not keeps_stderr, **how)
    if outcome.stream != "stderr":
        return PatientRun(outcome=outcome, keeps_stderr=keeps_stderr)
    job.between()
    return PatientRun(outcome=run_within(job, program, case, limits, drops_stderr=True, **how), keeps_stderr=False)


def run_within(job: GradingJob, program: Program, case: TestCase, longer: Limits, **how: Any) -> Outcome:
    """Run a case within limits longer than its own, again where it gave way.

    `how`: of the command. Raises GaveWay, PackageError, SandboxError.
    """
    limits = program.run_limits
    judged_ms = limits.cpu_time_ms * (100 + limits.overrun_percent) // 100
    for tries in range(_MADE_AGAIN, -1, -1):
        command = program.command(case, is_batch=True)
        command = replace(command, gives_way=job.is_awaited, gives_way_after_ms=judged_ms, **how)
        try:
            with blaming_package(case):
                return program.jail.run(command, longer)
        except GaveWay:
            if not tries:
                raise
            job.between()
    raise AssertionError


def measured_run(
    program: Program, checker: Checker, budget: CallBudget, case: TestCase, outcome: Outcome
) -> MeasuredRun:
    """Return a run as it is kept, with the verdict that it would get within the problem's own limits."""
    limits, usage = program.run_limits, outcome.usage
    decided = verdict_of_ending(outcome)
    wall_us = clock_us(usage.wall_time_us, usage.queued_time_us)
    if usage.cpu_time_us > limits.cpu_time_ms * 1_000 or wall_us > limits.wall_time_ms * 1_000:
        verdict = Verdict.TLE
    elif decided is not None:
        verdict = decided
    else:
        verdict = checker.check(case, program.stdout).verdict
        if verdict is Verdict.AC and budget.exceeded_by(outcome.io):
            verdict = Verdict.SLE
    return MeasuredRun(
        verdict=verdict,
        usage=usage,
        io=outcome.io,
        stdout_bytes=outcome.stdout_bytes,
        stderr_bytes=outcome.stderr_bytes,
    )


def median_run(runs: Iterable[MeasuredRun]) -> MeasuredRun:
    """Return the run whose CPU time is the median."""
    ordered = sorted(runs, key=lambda run: run.usage.cpu_time_us)
    return ordered[len(ordered) // 2]


def same_beginning(first: Path, other: Path) -> tuple[int, bool]:
    """Return the length in bytes of the common beginning of two files, and whether they are the same."""
    same = 0
    with first.open("rb") as stream, other.open("rb") as right:
        while True:
            chunk, against = stream.read(_CHUNK_BYTES), right.read(_CHUNK_BYTES)
            if chunk != against or not chunk:
                break
            same += len(chunk)
    if chunk == against:
        return same, True
    low, high = 0, min(len(chunk), len(against))  # the first byte in which they differ
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if chunk[:middle] == against[:middle] else (low, middle - 1)
    return same + low, False
