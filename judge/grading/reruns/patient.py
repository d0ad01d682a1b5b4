"""Judge a run that had more time than its limit by the problem's own limits, and compare what two runs wrote."""

from pathlib import Path

from judge.grading.budget import CallBudget
from judge.grading.checkers.checking import Checker
from judge.grading.events import MeasuredRun
from judge.grading.running.execution import Program
from judge.grading.verdicts import Verdict, verdict_of_ending
from problems.package import TestCase
from sandbox.types import Outcome

CHEAP_US = 700_000  # of wall time, for two runs: then they run in turns again
ROUNDS = 3
_CHUNK_BYTES = 1024 * 1024


def measured_run(
    program: Program, checker: Checker, budget: CallBudget, case: TestCase, outcome: Outcome
) -> MeasuredRun:
    """Return a run as it is kept, with the verdict that it would get within the problem's own limits."""
    return MeasuredRun(
        verdict=_verdict(program, checker, budget, case, outcome),
        usage=outcome.usage,
        io=outcome.io,
        stdout_bytes=outcome.stdout_bytes,
        stderr_bytes=outcome.stderr_bytes,
    )


def _verdict(program: Program, checker: Checker, budget: CallBudget, case: TestCase, outcome: Outcome) -> Verdict:
    limits, usage = program.run_limits, outcome.usage
    if usage.cpu_time_us > limits.cpu_time_ms * 1_000 or usage.wall_time_us > limits.wall_time_ms * 1_000:
        return Verdict.TLE
    decided = verdict_of_ending(outcome)
    if decided is not None:
        return decided
    verdict = checker.check(case, program.stdout).verdict
    return Verdict.SLE if verdict is Verdict.AC and budget.exceeded_by(outcome.io) else verdict


def same_beginning(one: Path, other: Path) -> tuple[int, bool]:
    """Return the length in bytes of the common beginning of two files, and whether they are the same."""
    same = 0
    with one.open("rb") as left, other.open("rb") as right:
        while True:
            chunk, against = left.read(_CHUNK_BYTES), right.read(_CHUNK_BYTES)
            if chunk != against or not chunk:
                break
            same += len(chunk)
    if chunk == against:
        return same, True
    return same + _first_difference(chunk, against), False


def _first_difference(one: bytes, other: bytes) -> int:
    """Return the position of the first byte in which they differ."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low
