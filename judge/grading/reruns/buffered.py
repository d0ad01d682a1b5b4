"""Rerun a judged case with its output buffered, and compare it with the same case as it was judged.

How it works: the program runs buffered and as it is, on the same core, in turns, three times each where that is cheap;
the median run counts. Both have more time than the limit, so that their output is whole; the problem's own limits
decide what verdict they would get. What each run wrote to stdout and stderr is compared byte by byte with what the
first buffered run wrote; where stderr is too much to keep, stdout alone. Only if all of it is the same, and every run
ended by itself with the same exit code, may anything be claimed (`BufferedRun.is_identical`). If a case cannot be
tried, or leaves nothing to compare, the result is a sentence instead. For a hidden case it says no more than a verdict
does.

The preload `sandbox/native/preloads/coalesce.c` gathers small writes in every language. Where a runtime spends time on
its own side of each flush, which no preload can remove, a few lines in the program's language remove the flushes first
(`Runtime.buffered_flags`). What still differs shows in the comparison: a mixture of ways to write, for example, or
what an object prints when it is destroyed after the end.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from judge.grading.checkers.checking import Checker, open_checker
from judge.grading.events import BufferedRun, GradingJob, MeasuredRun
from judge.grading.reruns.again import NothingToShow, compiled, is_linked_statically, of_a_case, starting
from judge.grading.reruns.patient import CHEAP_US, ROUNDS, measured_run, median_run, run_patiently, same_beginning
from judge.grading.running.cases import open_program
from judge.grading.running.execution import Program
from judge.grading.submission.budget import CallBudget
from judge.grading.submission.grading import budget_for
from judge.grading.verdicts import verdict_of_ending
from problems.package import TestCase
from problems.translation import gettext_noop
from sandbox.types import Ending, Outcome, Sandbox

INTERACTIVE = gettext_noop("In a conversation each line has to be flushed, so its output cannot be held back.")
NOT_COMPILED = gettext_noop("It could not be compiled again just now. Ask for it again in a moment.")
SEVERAL_PASSES = gettext_noop("A case of several passes is not tried with its output buffered.")
STATIC = gettext_noop("The program is linked statically, so its output cannot be buffered from outside.")
_NO_START = gettext_noop("The program does not start, so there is nothing to try.")
_NOT_BUFFERED = gettext_noop(
    "It was run again with its output buffered, and did not end in time. Most of its writes could not be buffered: "
    "the program starts other processes, or writes to files of its own."
)
_OUT_OF_TIME = frozenset({Ending.CPU_LIMIT, Ending.WALL_LIMIT})
_FEW_WRITES = 100
_LARGE_BYTES = 4_096  # of a write: smaller ones were not buffered


@of_a_case
def rerun_buffered(job: GradingJob, case: TestCase, sandbox: Sandbox, work_root: Path) -> BufferedRun:
    """Run one case as it is and with its output buffered."""
    if job.package.is_interactive:
        raise NothingToShow(INTERACTIVE)
    if job.package.most_passes > 1:
        raise NothingToShow(SEVERAL_PASSES)
    with compiled(job, sandbox, work_root, problem=NOT_COMPILED) as (executable, folder):
        if is_linked_statically(executable.started_file):
            raise NothingToShow(STATIC)
        budget = budget_for(job, case.name, sandbox, work_root)
        with (
            open_program(job, executable, sandbox, folder) as program,
            open_checker(job.package, sandbox, work_root, job.cpu) as checker,
        ):
            return _Trial(job=job, program=program, checker=checker, budget=budget, case=case).carry_out()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Seen:
    """One run, and how far it wrote the same as the first buffered one."""

    measured: MeasuredRun
    outcome: Outcome
    keeps_stderr: bool
    same_bytes: int = 0
    is_same: bool = True

    @property
    def is_whole(self) -> bool:
        return self.outcome.ending is Ending.EXITED


@dataclass(frozen=True, kw_only=True, slots=True)
class _Trial:
    """The two ways to run a program on one case."""

    job: GradingJob
    program: Program
    checker: Checker
    budget: CallBudget
    case: TestCase

    def carry_out(self) -> BufferedRun:
        """Run both ways alternately. Raises NothingToShow when the buffered run leaves nothing to compare."""
        with starting(self.program.executable, _NO_START):
            first = self._run(gathers=True)  # the others are compared with it, so what it wrote is kept
        io = first.measured.io
        if first.outcome.ending in _OUT_OF_TIME and io.write_calls > _FEW_WRITES + io.write_bytes // _LARGE_BYTES:
            raise NothingToShow(_NOT_BUFFERED)
        decided = verdict_of_ending(first.outcome)
        if decided is not None:
            raise NothingToShow(decided.record.when_buffered_stopped)
        for expected, written in self._streams():
            written.rename(expected)
        keeps = first.keeps_stderr
        buffered = [first]
        plain = [self._compared(self._run(gathers=False, keeps_stderr=keeps))]
        spent_us = sum(run.measured.usage.wall_time_us for run in (*buffered, *plain))
        while spent_us <= CHEAP_US and len(plain) < ROUNDS:
            buffered.append(self._compared(self._run(gathers=True, keeps_stderr=keeps)))
            plain.append(self._compared(self._run(gathers=False, keeps_stderr=keeps)))
        everything = (*buffered, *plain)
        is_whole = all(run.is_whole for run in everything)
        exit_codes = {run.outcome.exit_code for run in everything}
        return BufferedRun(
            plain=median_run(run.measured for run in plain),
            buffered=median_run(run.measured for run in buffered),
            is_identical=is_whole and len(exit_codes) == 1 and all(run.is_same for run in everything),
            is_whole=is_whole,
            same_bytes=min(run.same_bytes for run in plain),
            has_all_stderr=all(run.keeps_stderr for run in everything),
        )

    def _run(self, *, gathers: bool, keeps_stderr: bool = True) -> _Seen:
        self.job.between()
        program = self.program
        if gathers:
            executable = program.executable
            gathering = executable.with_flags(*(executable.runtime.buffered_flags or ()))
            program = replace(program, executable=gathering)
        run = run_patiently(self.job, program, self.case, keeps_stderr=keeps_stderr, coalesce_output=gathers)
        measured = measured_run(self.program, self.checker, self.budget, self.case, run.outcome)
        return _Seen(measured=measured, outcome=run.outcome, keeps_stderr=run.keeps_stderr)

    def _compared(self, run: _Seen) -> _Seen:
        beginnings = [same_beginning(expected, written) for expected, written in self._streams()]
        return replace(
            run, same_bytes=sum(same for same, _ in beginnings), is_same=all(whole for _, whole in beginnings)
        )

    def _streams(self) -> tuple[tuple[Path, Path], tuple[Path, Path]]:
        """Return for each stream the files of the first and of the last run."""
        folder = self.program.folder
        return (folder / "first-stdout", self.program.stdout), (folder / "first-stderr", self.program.stderr)
