"""Judge one submission's program, test case after test case, until each has its verdict.

The ending of an ordinary case decides first; only a clean exit leaves the verdict to the checker. What a program
printed before it failed is checked too, since its author wants to know whether only the end is wrong.

A case whose CPU time is barely over the limit is run again (`judge.grading.near_limit`), and the page is told of all
its runs. One that was disturbed by what is not the program's is run again too (`sandbox.jail.doubt`), and nobody is
told.
"""

import logging
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from judge.grading.bounded import read_errors, reader_in
from judge.grading.case_ending import CaseEnding, ending_of, overflow_of
from judge.grading.checkers.checking import Checker, NoChecker, blaming_package, open_checker
from judge.grading.checkers.feedback import read_excerpt
from judge.grading.checkers.validators import open_validator
from judge.grading.compiling.compilation import Executable
from judge.grading.ending_words import brief
from judge.grading.events import CaseJudged, CaseProfiled, GradingJob
from judge.grading.languages import language_by_id
from judge.grading.near_limit import MORE_RUNS, is_barely_over, is_near
from judge.grading.running.execution import (
    EarlyRoom,
    Program,
    Run,
    Runner,
    core_shortage,
    doubt_about_verdict,
    open_room,
)
from judge.grading.running.interaction import Conversation
from judge.grading.running.multipass import MultiPass
from judge.grading.running.repeated_lines import repeated_lines
from judge.grading.stages import Stage
from judge.grading.verdicts import Judgement, Verdict, verdict_of_ending
from problems.package import PackageError, TestCase
from problems.translation import gettext_noop, joined
from sandbox.errors import CommandError, MeterProblem, MeterStop, MeterUnavailable, SandboxError
from sandbox.image.reading import Reader
from sandbox.jail.doubt import repeated
from sandbox.types import Ending, Outcome, Profile, Sandbox

# what it was names our paths: that is for the log
_OUR_FAILURE = gettext_noop("The profile pass failed because of an error of ours.")
_PIECE_BYTES = 1 << 20
_NO_METER = gettext_noop("The worker cannot count system calls by name.")

log = logging.getLogger(__name__)


class Batch:
    """A program with its input on stdin, and a checker: a `judge.grading.running.execution.PassRunner`."""

    def __init__(self, program: Program, checker: Checker) -> None:
        self._program = program
        self._checker = checker

    def run(self, case: TestCase, *, goes_on: bool = False) -> Run:
        """Run the program, then check its output. Raises PackageError for arguments or files that no jail accepts."""
        program = self._program
        with blaming_package(case), program.stopwatch.timed(Stage.RUN):
            outcome = program.jail.run(program.command(case, is_batch=True), program.run_limits)
        judgement = Judgement(is_accepted=False)
        verdict = verdict_of_ending(outcome)
        if verdict is None:
            with program.stopwatch.timed(Stage.CHECK):
                try:
                    judgement = self._checker.check(case, program.stdout, goes_on=goes_on)
                    verdict = judgement.verdict
                except PackageError as error:
                    verdict, judgement = Verdict.JE, Judgement(is_accepted=False, message=error.sentence)
        return Run(
            outcome=outcome,
            verdict=verdict,
            message=judgement.message,
            stdout=program.stdout,
            stderr=program.stderr,
            expected=case.answer,
            team_message=judgement.team_message,
            difference=judgement.difference,
            score=judgement.score,
            multiplier=judgement.multiplier,
            next_input=self._checker.next_input if verdict is Verdict.AC else None,
            is_output_right=self._is_right(case, outcome, verdict, goes_on=goes_on),
            slowest_pass_us=outcome.usage.cpu_time_us,
        )

    def profile(self, case: TestCase, *, goes_on: bool = False) -> Profile:
        """Run the program again under the meter."""
        program = self._program
        _, profile = program.jail.profile(program.command(case, is_batch=True), program.profile_limits)
        return profile

    def _is_right(self, case: TestCase, outcome: Outcome, verdict: Verdict, *, goes_on: bool) -> bool:
        """Return whether a program that failed had printed all that the case asks for."""
        if verdict is not Verdict.RE or not outcome.stdout_bytes:
            return False
        try:
            with self._program.stopwatch.timed(Stage.CHECK):
                judgement = self._checker.check(case, self._program.stdout, goes_on=goes_on)
        except PackageError:  # the verdict needs no checker
            return False
        return judgement.is_full and self._checker.next_input is None


@contextmanager
def open_bench(
    job: GradingJob,
    executable: Executable,
    sandbox: Sandbox,
    work_root: Path,
    folder: Path,
    early: EarlyRoom | None = None,
) -> Iterator["CaseRunner"]:
    """Open the program's jail, unless it is `early`, with the package's checker or interactor; `folder`: the job's own.

    Raises PackageError when the package's own program does not compile, SandboxError.
    """
    package = job.package
    with ExitStack() as stack:
        program = stack.enter_context(open_program(job, executable, sandbox, folder, early))
        runner: Batch | Conversation
        with job.stopwatch.timed(Stage.CHECK):
            if package.is_interactive:
                interactor = stack.enter_context(open_validator(package, sandbox, work_root, job.cpu))
                runner = Conversation(program, interactor)
            elif job.is_checked:
                checker = stack.enter_context(open_checker(package, sandbox, work_root, job.cpu))
                runner = Batch(program, checker)
            else:
                runner = Batch(program, NoChecker())
        several = MultiPass(runner, package.most_passes, folder) if package.most_passes > 1 else runner
        reader = reader_in(sandbox, work_root, job.cpu)
        yield CaseRunner(job=job, executable=executable, runner=several, reader=reader)


@contextmanager
def open_program(
    job: GradingJob, executable: Executable, sandbox: Sandbox, folder: Path, early: EarlyRoom | None = None
) -> Iterator[Program]:
    """Open the program's jail, unless it is `early`, with the files that the package gives it. Raises SandboxError."""
    package = job.package
    opening = nullcontext(early.with_program(executable)) if early else open_room(job, sandbox, executable.mount)
    with opening as room:
        yield Program(
            executable=executable,
            jail=room.jail,
            limits=package.limits,
            folder=folder,
            files=room.files,
            overrun_percent=job.overrun_percent,
            cpu_time_ms=job.cpu_time_ms,
            included=tuple(package.included.get(job.language, ())),
            stopwatch=job.stopwatch,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseRunner:
    """Everything that judging a case needs, and the results so far."""

    job: GradingJob
    executable: Executable
    runner: Runner
    reader: Reader
    judged: dict[str, CaseJudged] = field(default_factory=dict)  # by digest: the last run of it
    profiled: dict[str, CaseProfiled] = field(default_factory=dict)  # likewise

    def judge(self, case: TestCase) -> CaseJudged:
        """Run and judge one case, or repeat the result of an equal case. Raises SandboxError on our own failure."""
        earlier = self.judged.get(case.digest) if case.digest else None
        package = self.job.package
        # a checker's points for samples are not read, so that of a hidden case another run may add some
        is_unscored = package.groups is None or package.output_validator is None
        if earlier and (earlier.is_sample == case.is_sample or (earlier.is_sample and is_unscored)):
            same = replace(earlier, name=case.name, is_sample=case.is_sample, same_as=earlier.name)
            if case.is_sample or not earlier.is_sample:
                return same
            # a hidden case shows no files and no messages
            known_errors = language_by_id(self.job.language).known_errors
            ending = earlier.ending and earlier.ending.bounded(known_errors)
            return replace(same, output=b"", stderr=b"", expected=b"", team_message="", ending=ending)
        judged = self._judge(case)
        if case.digest:
            self.judged[case.digest] = judged
        return judged

    def profile(self, case: TestCase) -> CaseProfiled:
        """Run the profile pass of one case. A failure is reported, not raised: the verdict does not depend on it."""
        earlier = self.profiled.get(case.digest) if case.digest else None
        if earlier is not None:
            return replace(earlier, name=case.name)
        try:
            with self.job.stopwatch.timed(Stage.PROFILE):
                profiled = CaseProfiled(name=case.name, result=self.runner.profile(case))
        except MeterUnavailable as error:
            return CaseProfiled(name=case.name, result=None, problem=_NO_METER, meter=error.problem)
        except SandboxError as error:
            log.warning("no profile of %s: %s", case.name, error)
            failed = MeterProblem(code=MeterStop.FAILED)
            return CaseProfiled(name=case.name, result=None, problem=_OUR_FAILURE, meter=failed)
        if case.digest:
            self.profiled[case.digest] = profiled
        return profiled

    def _judge(self, case: TestCase) -> CaseJudged:
        try:
            run, run_times = self._run(case)
        except CommandError as error:
            if not self.executable.runtime.starts_product:
                raise
            # The compiler made it and it is there, but the kernel will not load it: too large, for one.
            refused = CaseEnding(how=None, refusal=error.reason)
            judged = _judged(case, Outcome(ending=Ending.EXITED), Verdict.RE)
            if case.is_sample:
                return replace(judged, ending=refused)
            return replace(judged, ending=refused.bounded(frozenset()), judge_message=_said((brief(refused),)))
        ending = self._ending(run)
        language = language_by_id(self.job.language)
        judged = replace(
            _judged(case, run.outcome, run.verdict),
            partner=run.partner,
            score=run.score,
            multiplier=run.multiplier,
            passes=run.passes,
            run_times=run_times,
            printed_lines=self._printed_lines(run),
            repeated_lines=repeated_lines(run.stdout) if run.verdict in (Verdict.OLE, Verdict.TLE) else 0,
            judge_message=_said((run.message, core_shortage(self.job.package.limits.cores))),
        )
        if case.is_sample:
            most = self.job.excerpt_bytes
            return replace(
                judged,
                ending=ending,
                output=read_excerpt(run.stdout, most),
                stderr=read_excerpt(run.stderr, most),
                expected=read_excerpt(run.expected, most),
                team_message=run.team_message,
            )
        return replace(
            judged,
            judge_message=judged.judge_message or _said((brief(ending) if ending else None,)),
            ending=ending and ending.bounded(language.known_errors),
            stderr=read_excerpt(run.stderr) if self.job.keeps_stderr else b"",
        )

    def _printed_lines(self, run: Run) -> int:
        """Return how many lines a slow run printed, if its output is still there."""
        is_slow = 2 * run.outcome.usage.cpu_time_us > self.job.package.limits.time_limit_ms * 1_000
        if not is_slow or self.job.package.is_interactive or run.passes > 1 or run.stdout is None:
            return 0
        if run.stdout.stat().st_size != run.outcome.stdout_bytes:  # of another run of the case
            return 0
        with run.stdout.open("rb") as file:
            return sum(piece.count(b"\n") for piece in iter(partial(file.read, _PIECE_BYTES), b""))

    def _ending(self, run: Run) -> CaseEnding | None:
        if run.verdict in (Verdict.AC, Verdict.JE):
            return None
        job, language = self.job, language_by_id(self.job.language)
        read = partial(read_errors, self.reader, language)
        return replace(
            ending_of(run.outcome, run.stderr, read, job.source, job.students_file),
            is_output_right=run.is_output_right and job.is_checked,
            difference=run.difference,
            overflow=overflow_of(run.difference) if run.difference else None,
        )

    def _run(self, case: TestCase) -> tuple[Run, tuple[int, ...]]:
        """Return the run that counts, and the CPU times of all runs if there were several, or passes near the limit."""
        limit_ms = self.job.package.limits.time_limit_ms
        runs = [self.undisturbed_run(case)]
        is_barely = is_barely_over(runs[0].slowest_pass_us, limit_ms)
        while is_barely and len(runs) <= MORE_RUNS and _is_over(runs[-1]):
            runs.append(self.undisturbed_run(case))
        counts = min(runs, key=lambda run: run.slowest_pass_us) if _is_over(runs[-1]) else runs[-1]
        if len(runs) > 1 or (counts.passes > 1 and is_near(counts.slowest_pass_us, limit_ms)):
            return counts, tuple(run.slowest_pass_us for run in runs)
        return counts, ()

    def undisturbed_run(self, case: TestCase) -> Run:
        """Run one case; repeat it if anything but the program may have decided the verdict."""
        return repeated(partial(self.runner.run, case), doubt_about_verdict)


def _said(parts: Iterable[str | None]) -> str:
    """Return messages for staff, one below the other."""
    messages = [part for part in parts if part]
    return joined(messages, "\n") if len(messages) > 1 else next(iter(messages), "")


def _is_over(run: Run) -> bool:
    """Return whether the run was over its limit on CPU time."""
    return run.verdict is Verdict.TLE and run.outcome.ending is Ending.CPU_LIMIT


def _judged(case: TestCase, outcome: Outcome, verdict: Verdict) -> CaseJudged:
    return CaseJudged(
        name=case.name,
        is_sample=case.is_sample,
        verdict=verdict,
        usage=outcome.usage,
        io=outcome.io,
        exit_code=outcome.exit_code,
        signal=outcome.signal,
        stdout_bytes=outcome.stdout_bytes,
        stderr_bytes=outcome.stderr_bytes,
    )
