"""The programs that a trial of fixes runs beside each other: the original and changed ones, each in its own jail."""

import hashlib
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from judge.grading.bounded import reader_in
from judge.grading.checkers.checking import Checker
from judge.grading.compiling.compilation import Compiler, make_folder
from judge.grading.events import GradingJob, MeasuredRun
from judge.grading.fixes import Rewritten, rewrite
from judge.grading.languages import language_by_id
from judge.grading.reruns.patient import measured_run, run_patiently, same_beginning
from judge.grading.running.cases import open_program
from judge.grading.running.execution import Program
from judge.grading.submission.budget import CallBudget
from judge.grading.submission.grading import budget_for, compile_job
from problems.package import TestCase
from sandbox.errors import CommandError
from sandbox.types import Ending, Outcome, Sandbox

_MOST_S = 150.0  # of all runs and compilations: after that nothing more is started
_STOPPED = frozenset({Ending.CPU_LIMIT, Ending.WALL_LIMIT, Ending.OUTPUT_LIMIT})


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """One run. `stdout` and `stderr` are digests of what it wrote, None of stderr that was too much to keep;
    `beginning` holds its stdout if that was kept, which only a run that was stopped needs.
    """

    measured: MeasuredRun
    outcome: Outcome
    stdout: str
    stderr: str | None
    output: Path  # until the variant's next run
    beginning: Path | None = None

    @property
    def cpu_us(self) -> int:
        """Its CPU time."""
        return self.measured.usage.cpu_time_us

    @property
    def is_whole(self) -> bool:
        """Return whether it ended by itself."""
        return self.outcome.ending is Ending.EXITED

    @property
    def is_ended(self) -> bool:
        """Return whether it ended by itself or by a signal, and no limit stopped it."""
        return self.is_whole or self.outcome.ending is Ending.SIGNALLED

    @property
    def _end(self) -> tuple[Ending, int | None, int | None]:
        return self.outcome.ending, self.outcome.exit_code, self.outcome.signal

    @property
    def is_stopped(self) -> bool:
        """Return whether a limit on time or output stopped it."""
        return self.outcome.ending in _STOPPED

    def matches(self, original: "Seen", *, compares_stderr: bool) -> bool:
        """Return whether this run, whose output is still there, wrote the same as the original.

        If a limit stopped the original, what it wrote has to be the beginning; if both were stopped, one has to be the
        other's.
        """
        if original.is_ended:
            is_kept = self.stderr is not None and original.stderr is not None
            is_same_stderr = not (compares_stderr and is_kept) or self.stderr == original.stderr
            is_same_end = self._end == original._end
            return is_same_end and self.stdout == original.stdout and is_same_stderr
        if original.beginning is None or not (self.is_whole or self.is_stopped):
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
        run = run_patiently(self.job, self.program, case)
        measured = measured_run(self.program, self.checker, self.budget_of(case), case, run.outcome)
        stdout, stderr = _digest(self.program.stdout), _digest(self.program.stderr) if run.keeps_stderr else None
        is_stopped = run.outcome.ending is not Ending.EXITED
        if keeps is not None and is_stopped:
            self.program.stdout.rename(keeps)
        return Seen(
            measured=measured,
            outcome=run.outcome,
            stdout=stdout,
            stderr=stderr,
            output=self.program.stdout,
            beginning=keeps if is_stopped else None,
        )

    def run_changed(self, case: TestCase) -> Seen | None:
        """Run a changed program; None if the kernel will not start it."""
        try:
            return self.run(case)
        except CommandError:
            return None


@dataclass(kw_only=True, slots=True)
class Shop:
    """What every variant of the program needs."""

    job: GradingJob
    sandbox: Sandbox
    work_root: Path
    folder: Path
    checker: Checker
    number: int = 0
    started_at: float = field(default_factory=time.monotonic)

    @property
    def limit_us(self) -> int:
        """The limit on CPU time."""
        return self.job.package.limits.time_limit_ms * 1_000

    @property
    def is_closing(self) -> bool:
        """Return whether nothing more may be started."""
        return time.monotonic() - self.started_at > _MOST_S

    def let_others_go_first(self) -> None:
        """Do what the job says is to be done between two runs, which takes nothing of the trial's time."""
        started_at = time.monotonic()
        self.job.between()
        self.started_at += time.monotonic() - started_at

    def rewrite(self, codes: Sequence[str]) -> Rewritten | None:
        """Return the job's source with these fixes; None if none of them applies."""
        return rewritten_source(self.job, codes, self.sandbox, self.work_root)

    def open(self, source: bytes, stack: ExitStack) -> Variant | None:
        """Compile a source and open its jail; None if it does not compile."""
        self.number += 1
        folder = make_folder(self.folder / str(self.number))
        job = replace(self.job, source=source)
        compilation = compile_job(job, Compiler(sandbox=self.sandbox, work_root=self.work_root, cpu=job.cpu), folder)
        if compilation.executable is None:
            return None
        program = stack.enter_context(open_program(job, compilation.executable, self.sandbox, folder))
        job = replace(job, between=self.let_others_go_first)
        return Variant(program=program, checker=self.checker, budget_of=self.budget_of, job=job)

    def budget_of(self, case: TestCase) -> CallBudget:
        """Return the call limit on a case."""
        return budget_for(self.job, case.name, self.sandbox, self.work_root)


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """A changed program, and its run on the case that it was made for."""

    rewritten: Rewritten
    variant: Variant
    stack: ExitStack
    run: Seen


def rewritten_source(job: GradingJob, codes: Sequence[str], sandbox: Sandbox, work_root: Path) -> Rewritten | None:
    """Return the job's source with these fixes; None if none of them applies. Costs one call of the bounded reader."""
    reader = reader_in(sandbox, work_root, job.cpu)
    return rewrite(reader, job.source, language_by_id(job.language), codes)


def _begins_with(whole: Path, beginning: Path) -> bool:
    return same_beginning(whole, beginning)[0] == beginning.stat().st_size


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
