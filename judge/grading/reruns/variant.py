"""Run one variant of a program patiently, and compare what it wrote with what another variant wrote."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from judge.grading.checkers.checking import Checker
from judge.grading.events import GradingJob, MeasuredRun
from judge.grading.reruns.patient import measured_run, run_patiently, same_beginning
from judge.grading.running.execution import Program
from judge.grading.submission.budget import CallBudget
from problems.package import TestCase
from sandbox.types import Ending, Outcome

_OUT_OF_TIME = frozenset({Ending.CPU_LIMIT, Ending.WALL_LIMIT})


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """One run. `stdout` and `stderr` are digests of what it wrote; `beginning` holds its stdout if it was kept, which
    only a run that was stopped needs.
    """

    measured: MeasuredRun
    outcome: Outcome
    stdout: str
    stderr: str
    output: Path  # until the variant's next run
    beginning: Path | None = None

    @property
    def is_whole(self) -> bool:
        """Return whether it ended by itself."""
        return self.outcome.ending is Ending.EXITED

    @property
    def is_out_of_time(self) -> bool:
        """Return whether a time limit stopped it."""
        return self.outcome.ending in _OUT_OF_TIME

    def matches(self, original: "Seen", compares_stderr: bool) -> bool:
        """Return whether this run, whose output is still there, wrote the same as the original.

        If the original was stopped, what it wrote has to be the beginning; if both were, one has to be the other's.
        """
        if original.is_whole:
            is_same_stderr = not compares_stderr or self.stderr == original.stderr
            is_same_end = self.is_whole and self.outcome.exit_code == original.outcome.exit_code
            return is_same_end and self.stdout == original.stdout and is_same_stderr
        if original.beginning is None or not (self.is_whole or self.is_out_of_time):
            return False
        return _begins_with(self.output, original.beginning) or (
            not self.is_whole and _begins_with(original.beginning, self.output)
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Variant:
    """A program with its jail open. The job's `between` is called before each run."""

    program: Program
    checker: Checker
    budget_of: Callable[[TestCase], CallBudget]
    job: GradingJob

    def run(self, case: TestCase, keeps: Path | None = None) -> Seen:
        """Run it on a case with more time than the limit. `keeps`: where the stdout of a stopped run is kept."""
        self.job.between()
        outcome = run_patiently(self.job, self.program, case)
        measured = measured_run(self.program, self.checker, self.budget_of(case), case, outcome)
        stdout, stderr = _digest(self.program.stdout), _digest(self.program.stderr)
        is_stopped = outcome.ending is not Ending.EXITED
        if keeps is not None and is_stopped:
            self.program.stdout.rename(keeps)
        return Seen(
            measured=measured,
            outcome=outcome,
            stdout=stdout,
            stderr=stderr,
            output=self.program.stdout,
            beginning=keeps if is_stopped else None,
        )


def _begins_with(whole: Path, beginning: Path) -> bool:
    return same_beginning(whole, beginning)[0] == beginning.stat().st_size


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
