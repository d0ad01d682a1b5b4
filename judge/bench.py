"""One submission's program on the bench: its open jail, its checker, one test case after the other.

A case whose CPU time is barely over the limit is run again, at most twice: noise on a shared machine only ever adds
time, so the first run within the limit counts, and the page is told of all of them.
"""

import logging
import signal
from dataclasses import dataclass, replace
from pathlib import Path

from judge.checking import Checker, Judgement
from judge.compilation import Executable
from judge.events import GradingJob, TestCaseJudged, TestCaseProfiled
from judge.execution import Run, profile_run, read_excerpt, run_case
from judge.verdicts import Verdict, verdict_of_ending
from problems.package import PackageError, TestCase
from sandbox.errors import CommandError, MeterUnavailable, SandboxError
from sandbox.types import Ending, Jail, Outcome

_BORDERLINE_PERCENT = 10
_MORE_RUNS = 2
_OUR_FAILURE = "the profile pass failed because of an error of ours"  # what it was names our paths: that is for the log
_FAULTS = (signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE, signal.SIGBUS, signal.SIGILL)

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Bench:
    """What judging a case needs. `folder` is private to the submission and holds the output of the last run."""

    job: GradingJob
    jail: Jail
    executable: Executable
    folder: Path

    def judge(self, case: TestCase, checker: Checker) -> TestCaseJudged:
        """Run and check one case. Raises SandboxError when the sandbox failed."""
        try:
            run = self._run(case)
        except CommandError as error:
            if not self.executable.is_compiled:
                raise
            # The compiler made it and it is there, but the kernel will not load it: too large, for one.
            return _judged(case, Outcome(ending=Ending.EXITED, detail=str(error)), Verdict.RE)
        verdict = verdict_of_ending(run.outcome)
        judgement = Judgement(is_accepted=False)
        if verdict is None:
            try:
                judgement = checker.check(case, run.stdout)
                verdict = Verdict.AC if judgement.is_accepted else Verdict.WA
            except PackageError as error:
                judgement, verdict = Judgement(is_accepted=False, message=str(error)), Verdict.JE
        judged = _judged(case, run.outcome, verdict)
        if case.is_sample:
            return self._with_excerpts(replace(judged, judge_message=judgement.message), case, run)
        detail = _detail_of_hidden(run.outcome)
        return replace(judged, judge_message=judgement.message or judged.detail, detail=detail)

    def profile(self, case: TestCase) -> TestCaseProfiled:
        """The profile pass of one case. What fails here is told, not raised: the verdict does not hang on it."""
        limits = self.job.package.limits
        try:
            profile = profile_run(self.jail, self.executable, case, limits, self.folder)
        except MeterUnavailable as error:
            return TestCaseProfiled(name=case.name, profile=None, problem=str(error))
        except SandboxError as error:
            log.warning("no profile of %s: %s", case.name, error)
            return TestCaseProfiled(name=case.name, profile=None, problem=_OUR_FAILURE)
        return TestCaseProfiled(name=case.name, profile=profile)

    def _run(self, case: TestCase) -> Run:
        limits = self.job.package.limits
        runs = [run_case(self.jail, self.executable, case, limits, self.folder)]
        while len(runs) <= _MORE_RUNS and _is_borderline(runs[-1].outcome, limits.time_limit_ms):
            runs.append(run_case(self.jail, self.executable, case, limits, self.folder))
        if len(runs) == 1:
            return runs[0]
        times = ", ".join(f"{run.outcome.usage.cpu_time_us / 1e6:.2f}" for run in runs)
        detail = f"{runs[-1].outcome.detail}; run {len(runs)} times: {times} s of CPU time".removeprefix("; ")
        return replace(runs[-1], outcome=replace(runs[-1].outcome, detail=detail))

    def _with_excerpts(self, judged: TestCaseJudged, case: TestCase, run: Run) -> TestCaseJudged:
        """A sample is public: show what came out and, from our own validator, where it differs."""
        is_ours = self.job.package.output_validator is None
        return replace(
            judged,
            output=read_excerpt(run.stdout),
            stderr=read_excerpt(run.stderr),
            expected=read_excerpt(case.answer),
            detail=judged.judge_message if is_ours and judged.verdict is Verdict.WA else judged.detail,
        )


def _detail_of_hidden(outcome: Outcome) -> str:
    """The detail without what the program can choose: an exit code would carry a byte of the hidden input each time."""
    if outcome.ending is Ending.EXITED and outcome.exit_code:
        return "non-zero exit code"
    if outcome.ending is Ending.SIGNALLED and outcome.signal not in _FAULTS:
        return "killed by a signal"
    return outcome.detail


def _is_borderline(outcome: Outcome, time_limit_ms: int) -> bool:
    limit_us = time_limit_ms * 1_000
    return (
        outcome.ending is Ending.CPU_LIMIT
        and outcome.usage.cpu_time_us <= limit_us * (100 + _BORDERLINE_PERCENT) // 100
    )


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
