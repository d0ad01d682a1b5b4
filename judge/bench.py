"""One submission's program on the bench: one test case after the other, until each has its verdict.

A case whose CPU time is barely over the limit is run again, at most twice: noise on a shared machine only ever adds
time, so the first run within the limit counts, and the page is told of all of them.
"""

import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from judge.batch import Batch
from judge.checking import open_checker
from judge.compilation import Executable
from judge.events import GradingJob, TestCaseJudged, TestCaseProfiled
from judge.execution import Program, Run, Runner, read_excerpt
from judge.interaction import Conversation
from judge.validators import open_validator
from judge.verdicts import Verdict
from problems.package import TestCase
from sandbox.errors import CommandError, MeterUnavailable, SandboxError
from sandbox.types import Ending, JailSpec, Outcome, Sandbox

_BORDERLINE_PERCENT = 10
_MORE_RUNS = 2
_OUR_FAILURE = "the profile pass failed because of an error of ours"  # what it was names our paths: that is for the log
_FAULTS = (signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE, signal.SIGBUS, signal.SIGILL)

log = logging.getLogger(__name__)


@contextmanager
def open_bench(
    job: GradingJob, executable: Executable, sandbox: Sandbox, work_root: Path, folder: Path
) -> Iterator["Bench"]:
    """The program in its jail, with the package's checker or interactor; `folder` is private to the submission.

    Raises PackageError when the package's own program does not compile, SandboxError.
    """
    package = job.package
    with sandbox.open_jail(JailSpec(mounts=(executable.mount,), cpu=job.cpu)) as jail:
        program = Program(
            executable=executable,
            jail=jail,
            limits=package.limits,
            folder=folder,
            overrun_percent=job.overrun_percent,
        )
        if package.is_interactive:
            with open_validator(package, sandbox, work_root, job.cpu) as interactor:
                yield Bench(job=job, executable=executable, runner=Conversation(program, interactor))
        else:
            with open_checker(package, sandbox, work_root, job.cpu) as checker:
                yield Bench(job=job, executable=executable, runner=Batch(program, checker))


@dataclass(frozen=True, kw_only=True, slots=True)
class Bench:
    """What judging a case needs."""

    job: GradingJob
    executable: Executable
    runner: Runner

    def judge(self, case: TestCase) -> TestCaseJudged:
        """Run and judge one case. Raises SandboxError when the sandbox failed."""
        try:
            run = self._run(case)
        except CommandError as error:
            if not self.executable.is_compiled:
                raise
            # The compiler made it and it is there, but the kernel will not load it: too large, for one.
            return _judged(case, Outcome(ending=Ending.EXITED, detail=str(error)), Verdict.RE)
        judged = replace(_judged(case, run.outcome, run.verdict), partner=run.partner)
        if case.is_sample:
            return self._with_excerpts(replace(judged, judge_message=run.message), run)
        detail = _detail_of_hidden(run.outcome)
        return replace(judged, judge_message=run.message or judged.detail, detail=detail)

    def profile(self, case: TestCase) -> TestCaseProfiled:
        """The profile pass of one case. What fails here is told, not raised: the verdict does not hang on it."""
        try:
            profile = self.runner.profile(case)
        except MeterUnavailable as error:
            return TestCaseProfiled(name=case.name, profile=None, problem=str(error))
        except SandboxError as error:
            log.warning("no profile of %s: %s", case.name, error)
            return TestCaseProfiled(name=case.name, profile=None, problem=_OUR_FAILURE)
        return TestCaseProfiled(name=case.name, profile=profile)

    def _run(self, case: TestCase) -> Run:
        limit_ms = self.job.package.limits.time_limit_ms
        runs = [self.runner.run(case)]
        while len(runs) <= _MORE_RUNS and _is_borderline(runs[-1], limit_ms):
            runs.append(self.runner.run(case))
        if len(runs) == 1:
            return runs[0]
        times = ", ".join(f"{run.outcome.usage.cpu_time_us / 1e6:.2f}" for run in runs)
        detail = f"{runs[-1].outcome.detail}; run {len(runs)} times: {times} s of CPU time".removeprefix("; ")
        return replace(runs[-1], outcome=replace(runs[-1].outcome, detail=detail))

    def _with_excerpts(self, judged: TestCaseJudged, run: Run) -> TestCaseJudged:
        """A sample is public: show what came out and, from our own validator, where it differs."""
        is_ours = self.job.package.output_validator is None
        return replace(
            judged,
            output=read_excerpt(run.stdout),
            stderr=read_excerpt(run.stderr),
            expected=read_excerpt(run.expected),
            detail=judged.judge_message if is_ours and judged.verdict is Verdict.WA else judged.detail,
        )


def _detail_of_hidden(outcome: Outcome) -> str:
    """The detail without what the program can choose: an exit code would carry a byte of the hidden input each time."""
    if outcome.ending is Ending.EXITED and outcome.exit_code:
        return "non-zero exit code"
    if outcome.ending is Ending.SIGNALLED and outcome.signal not in _FAULTS:
        return "killed by a signal"
    return outcome.detail


def _is_borderline(run: Run, time_limit_ms: int) -> bool:
    if run.verdict is not Verdict.TLE or run.outcome.ending is not Ending.CPU_LIMIT:
        return False
    return run.outcome.usage.cpu_time_us <= time_limit_ms * 1_000 * (100 + _BORDERLINE_PERCENT) // 100


def _judged(case: TestCase, outcome: Outcome, verdict: Verdict) -> TestCaseJudged:
    return TestCaseJudged(
        name=case.name,
        is_sample=case.is_sample,
        verdict=verdict,
        usage=outcome.usage,
        io=outcome.io,
        exit_code=outcome.exit_code,
        signal=outcome.signal,
        stdout_bytes=outcome.stdout_bytes,
        stderr_bytes=outcome.stderr_bytes,
        detail=outcome.detail,
    )
