"""Run a submission's program in its jail, which may open while it is compiled, and classify each run on a test case.

A `Runner` knows how a problem's cases are run: `judge.grading.running.cases` gives the input and checks the output
afterwards, `judge.grading.running.interaction` lets the program talk to the package's interactor. Both run within the
limits made here.

The profile pass runs the same command once more under the kernel meter, with room for what the meter itself costs.
It gets no more wall time, since it holds off every graded run of the host.
"""

import os
from collections.abc import Iterator
from concurrent.futures import Executor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from judge.grading.case_ending import TokenDifference
from judge.grading.compiling.compilation import Executable
from judge.grading.events import GradingJob, Partner
from judge.grading.languages import PROGRAM_FOLDER, Counting, language_by_id
from judge.grading.near_limit import OVERRUN_PERCENT, wall_limit_ms
from judge.grading.stages import Stopwatch
from judge.grading.verdicts import Verdict
from problems.package import ProblemLimits, TestCase
from problems.translation import Sentence
from sandbox.errors import WorkdirError
from sandbox.image.resident import copy_tree, copy_whole, resident_folder
from sandbox.jail.doubt import Doubt
from sandbox.meter.tables import end_to, writes_to
from sandbox.types import (
    MIB,
    Collect,
    Command,
    CpuSampling,
    Destination,
    Ending,
    Jail,
    JailSpec,
    Limits,
    Mount,
    Outcome,
    Profile,
    Sandbox,
)

FILES = "/files"  # where a jail shows the files of the case and of the package
_COUNTS_BYTES = 16 * MIB  # 8 bytes for each branch of the source
_PROFILE_CPU_FACTOR = 2  # counting costs about 0.1 us per call; the pass gives no verdict, so room does no harm

# of a patient run
_TIME_FACTOR = 10  # so many times the limit, so that a program over it comes far enough
_LONGEST_MS = 20_000  # but no more CPU time than this, since somebody waits
_LEAST_PERCENT = 150  # of the limit, however long that is
_MORE_WALL_MS = 2_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """The result of one run. Its files are on the host until the next run; None: there is none."""

    outcome: Outcome
    verdict: Verdict
    message: str  # the checker's or interactor's words, or a Sentence on what is wrong with it: for staff
    stdout: Path | None
    stderr: Path
    expected: Path | None  # what stdout should hold
    partner: Partner | None = None
    team_message: str = ""  # the checker's words for the contestant
    score: float | None = None  # what it gave
    multiplier: float | None = None
    next_input: Path | None = None  # of the next pass, until the next run; None: there is none
    passes: int = 1  # the outcome's usage and io are those of so many runs together
    slowest_pass_us: int = 0  # CPU time of the slowest of them: the time limit is for each
    difference: TokenDifference | None = None  # from the answer, where the format's default validator compared
    is_output_right: bool = False  # of a program that failed: what it had printed was all that was asked for
    doubt: Doubt = Doubt.NONE  # of a pass that cannot be made again by itself: whether a wall limit was its own doing


def doubt_about_verdict(run: Run) -> Doubt:
    """Return whether to run a case again: the machine stood still, at least in part, and it was not accepted.

    A program may look at the clock, and when both an interactor and the program stood still, the first to continue may
    end first.
    """
    if run.doubt is not Doubt.NONE or run.verdict is Verdict.AC:
        return run.doubt
    is_by_a_limit = run.outcome.ending not in (Ending.EXITED, Ending.SIGNALLED)  # the sandbox has settled these
    return Doubt.UNTIL_REPEATED if run.outcome.watch.is_disturbed and not is_by_a_limit else Doubt.NONE


def doubt_about_measurement(outcome: Outcome, doubt: Doubt = Doubt.NONE) -> Doubt:
    """Return whether to repeat a run whose times are to be compared; `doubt` is that about its verdict."""
    if doubt is not Doubt.NONE:
        return doubt
    return Doubt.UNTIL_REPEATED if outcome.watch.is_disturbed else Doubt.NONE


class Runner(Protocol):
    """Runs the cases of one problem, one after the other, for one submission."""

    def run(self, case: TestCase) -> Run:
        """Run and judge one case. A package at fault gives JE. Raises SandboxError."""
        ...

    def profile(self, case: TestCase) -> Profile:
        """Run one case under the meter. Raises MeterUnavailable when this host cannot count, SandboxError."""
        ...


class PassRunner(Protocol):
    """A runner of single passes. `goes_on`: it is a further one over the case of the last run, with another input."""

    def run(self, case: TestCase, *, goes_on: bool = False) -> Run:
        """As in Runner."""
        ...

    def profile(self, case: TestCase, *, goes_on: bool = False) -> Profile:
        """As in Runner."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """A submission's program, ready to run in its open jail. Its output lies in `folder` until the next run."""

    executable: Executable
    jail: Jail
    limits: ProblemLimits
    folder: Path
    files: Path | None = None  # the folder that the jail shows at FILES, in memory; None: no case has any
    overrun_percent: int | None = None  # as in GradingJob
    cpu_time_ms: int = 0  # likewise
    included: tuple[tuple[str, Path], ...] = ()  # of the package, by name: what lies in its working folder in each run
    traces_writes: bool = False  # as `Runtime.line_costs` has it
    traces_end: bool = False  # likewise by a preload: the calls in which a signal ends it
    counting: Counting | None = None  # it counts its lines
    sample_ms: int = 0  # as in Command
    cpu_sampling: CpuSampling | None = None  # likewise
    stopwatch: Stopwatch = field(default_factory=Stopwatch, repr=False, compare=False)  # the job's

    @property
    def stdout(self) -> Path:
        """The file that receives its output."""
        return self.folder / "stdout"

    @property
    def stderr(self) -> Path:
        """The file that receives its error output."""
        return self.folder / "stderr"

    @property
    def writes_table(self) -> Path:
        """The table of a traced run, if it left one."""
        return self.folder / "writes"

    @property
    def ending_table(self) -> Path:
        """The table of a run whose end was traced, if it left one."""
        return self.folder / "ending"

    @property
    def counts_table(self) -> Path:
        """The table of a run that counted its lines, if it left one."""
        return self.folder / "counts"

    @property
    def run_limits(self) -> Limits:
        """The limits of one graded run."""
        limits = self.executable.within(run_limits(self.limits))
        if self.cpu_time_ms > limits.cpu_time_ms:
            return _with_time(limits, self.cpu_time_ms)
        return limits if self.overrun_percent is None else replace(limits, overrun_percent=self.overrun_percent)

    @property
    def profile_limits(self) -> Limits:
        """The limits of one run under the meter."""
        run = self.run_limits
        return replace(run, cpu_time_ms=run.cpu_time_ms * _PROFILE_CPU_FACTOR)

    def command(self, case: TestCase, *, is_batch: bool) -> Command:
        """Return the command of one run, optionally with the case's input; removes the last run's output."""
        for path in (self.stdout, self.stderr, self.writes_table, self.ending_table, self.counts_table):
            path.unlink(missing_ok=True)
        trace = self.executable.runtime.line_costs
        return Command(
            argv=(*self.executable.argv(self.limits.memory_bytes), *case.args),
            environment=self.counting.environment if self.counting else {},
            stdin=case.input if is_batch else None,
            stdout=self.stdout,
            destination=Destination(self.limits.stdout),
            stderr=self.stderr,
            files=self._placed(case),
            trace_writes=self.traces_writes and trace is not None and trace.runner is None,
            trace_end=self.traces_end,
            collect=(
                *((writes_to(self.writes_table),) if self.traces_writes else ()),
                *((end_to(self.ending_table),) if self.traces_end else ()),
                *((_counts_to(self.counting, self.counts_table),) if self.counting else ()),
            ),
            sample_ms=self.sample_ms,
            cpu_sampling=self.cpu_sampling,
        )

    def _placed(self, case: TestCase) -> tuple[tuple[str, str], ...]:
        """Return the case's and the package's files, laid out under numbers for this run; the case's come first."""
        files = {**dict(self.included), **dict(case.files)}
        if self.files is None:
            return ()
        try:
            for old in self.files.iterdir():  # the jail shows this folder: it stays, and what lies in it goes
                old.unlink()
            for number, source in enumerate(files.values()):
                copy_whole(source, self.files / str(number))
                (self.files / str(number)).chmod(0o644)
        except OSError as error:
            raise WorkdirError(f"cannot copy the files of {case.name} into memory: {error.strerror}") from error
        return tuple((name, f"{FILES}/{number}") for number, name in enumerate(files))


def _counts_to(counting: Counting, target: Path) -> Collect:
    return Collect(name=counting.table, target=target, max_bytes=_COUNTS_BYTES)


@dataclass(frozen=True, kw_only=True, slots=True)
class Room:
    """An open jail for a program. `files`: the folder that it shows at FILES, in memory; None: no case has any."""

    jail: Jail
    files: Path | None


@contextmanager
def open_room(job: GradingJob, sandbox: Sandbox, program: Mount) -> Iterator[Room]:
    """Open a jail that shows the program, and the files that the package gives it. Raises SandboxError."""
    needs_files = bool(job.package.included) or any(case.files for case in job.package.test_cases)
    with ExitStack() as stack:
        mounts = [program]
        files = stack.enter_context(resident_folder("files-")) if needs_files else None
        if files is not None:
            mounts.append(Mount(source=files, target=FILES, is_live=True))
        runtime, cores = language_by_id(job.language).runtime, job.package.limits.cores
        spec = JailSpec(mounts=tuple(mounts), image=runtime.image, runtime=runtime.host, cpu=job.cpu, cores=cores)
        yield Room(jail=stack.enter_context(sandbox.open_jail(spec)), files=files)


class EarlyRoom:
    """A jail that is opened by another thread for a program that is still to come, until `close`.

    Opening a jail takes 10 ms, most of which is waiting. It has an empty folder in memory at the program's place; what
    the compiler made is copied there when it is done. The jail is closed like any other, also when there is no program:
    whoever closes it waits until it is open.
    """

    def __init__(self, job: GradingJob, sandbox: Sandbox, beside: Executor) -> None:
        self._opened = ExitStack()
        self._opening = beside.submit(self._open, job, sandbox)

    def _open(self, job: GradingJob, sandbox: Sandbox) -> tuple[Path, Room]:
        folder = self._opened.enter_context(resident_folder("program-"))
        program = Mount(source=folder, target=PROGRAM_FOLDER, is_live=True)
        return folder, self._opened.enter_context(open_room(job, sandbox, program))

    def with_program(self, executable: Executable) -> Room:
        """Return the jail with this program in it, as soon as it is open; call it once. Raises SandboxError."""
        folder, room = self._opening.result()
        copy_tree(executable.mount.source, folder)
        return room

    def close(self) -> None:
        """Close the jail."""
        wait([self._opening])
        self._opened.close()


def core_shortage(cores: int) -> Sentence | None:
    """Return the message for staff when this host has fewer cores than a run may use; None when it has enough."""
    here = len(os.sched_getaffinity(0))
    if here >= cores:
        return None
    words = {"cores": str(cores), "number": str(here)}
    return Sentence("The problem lets a run use %(cores)s cores; this worker has %(number)s.", **words)


def run_limits(limits: ProblemLimits) -> Limits:
    """Return a problem's limits for one run."""
    return Limits(
        cpu_time_ms=limits.time_limit_ms,
        wall_time_ms=wall_limit_ms(limits.time_limit_ms),
        memory_bytes=limits.memory_bytes,
        output_bytes=limits.output_bytes,
        processes=limits.processes,
        overrun_percent=OVERRUN_PERCENT,
    )


def patient_limits(limits: Limits) -> Limits:
    """Return the limits of a rerun that should reach its end, if that is worth the wait."""
    return _with_time(limits, patient_time_ms(limits.cpu_time_ms))


def patient_time_ms(limit_ms: int, longest_ms: int = _LONGEST_MS) -> int:
    """Return the CPU time of a run that should reach its end; at most `longest_ms`, or half more than the limit."""
    return max(limit_ms * _LEAST_PERCENT // 100, min(limit_ms * _TIME_FACTOR, longest_ms))


def _with_time(limits: Limits, cpu_ms: int) -> Limits:
    """Return the limits with more CPU time, and wall time for it."""
    wall_ms = max(limits.wall_time_ms, cpu_ms * 3 // 2 + _MORE_WALL_MS)
    return replace(limits, cpu_time_ms=cpu_ms, wall_time_ms=wall_ms, overrun_percent=0)
