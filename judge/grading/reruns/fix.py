"""Change the source of a judged program so that it is faster, and show by runs that it is.

How it works: each fix of `judge.grading.fixes` that applies is added to those before it, in the order in which they are
expected to gain: a fix may gain nothing until a later one is there (without `endl`, a tied `cin` still flushes), and so
each step costs one compilation and one run of the decisive case. A step that does not compile, or that writes another
byte than the original, is dropped. Once the decisive case would be accepted, fixes that gained nothing are taken out
again, and the program is run on all cases; when another case is too slow, further fixes are added for it. If a case
shows another output, the last fix is dropped and the rest is tried again.

Both programs run on the same core with more time than the limit, on the decisive case in turns where that is cheap; the
problem's own limits decide about the verdict. On each case that was judged, the original runs too: if it comes to its
end, stdout, stderr and the exit code have to be the same to the byte; else what it wrote has to be the beginning, and
the checker decides about the rest. Cases that were never judged are left to the checker alone. What was not run is not
claimed: after a while no further run is started.
"""

import hashlib
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from judge.grading.bounded import reader_in
from judge.grading.checkers.checking import Checker, open_checker
from judge.grading.compiling.compilation import Compiler, make_folder
from judge.grading.events import FixedRun, GradingJob, MeasuredRun
from judge.grading.fixes import Fix, Rewritten, fixes_for, rewrite
from judge.grading.languages import language_by_id
from judge.grading.reruns.again import NothingToShow, of_a_case
from judge.grading.reruns.patient import CHEAP_US, ROUNDS, measured_run, median_run, run_patiently, same_beginning
from judge.grading.reruns.reasons import TOO_SLOW
from judge.grading.running.cases import open_program
from judge.grading.running.execution import Program
from judge.grading.sameness import is_faster
from judge.grading.submission.budget import CallBudget
from judge.grading.submission.grading import budget_for, compile_job
from judge.grading.verdicts import Verdict
from problems.package import TestCase
from problems.translation import gettext_noop
from sandbox.errors import CommandError
from sandbox.types import Ending, Outcome, Sandbox
from sandbox.workdir import fresh_folder

_MOST_S = 150.0  # of all runs and compilations: after that nothing more is started
# times the CPU time: so much more may a program with fewer changes take. A choice of ours: no page calls these the same
_NEARLY, _NEARLY_OF_REJECTED = 1.3, 1.1  # if it is accepted, and if not

INTERACTIVE = gettext_noop("In a conversation each line has to be flushed, so no fix is tried.")
SEVERAL_PASSES = gettext_noop("A case of several passes is not tried with a fix.")
NOT_COMPILED = gettext_noop("It could not be compiled again just now. Ask for it again in a moment.")
NO_FIX = gettext_noop("Tally knows no change that would make this source faster.")
NO_GAIN = gettext_noop("The changes that Tally knows for this source were tried, and none of them made it faster.")
NOT_THE_SAME = gettext_noop(
    "The changes that Tally knows for this source were tried, and none of them compiled and kept the whole output."
)
STILL_STOPPED = gettext_noop(
    "The changes that Tally knows for this source were tried, and it still did not end, with far more time than the "
    "limit. What takes the time is something else: most likely its own computation."
)
FAILS = gettext_noop("The program does not come to its end on this case, for another reason than time.")
_NO_TIME = gettext_noop("The trial took too long, so that no fix can be shown.")
_OUT_OF_TIME = frozenset({Ending.CPU_LIMIT, Ending.WALL_LIMIT})


@dataclass(frozen=True, kw_only=True, slots=True)
class _Seen:
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

    def matches(self, original: "_Seen", compares_stderr: bool) -> bool:
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
class _Variant:
    """A program with its jail open. The job's `between` is called before each run."""

    program: Program
    checker: Checker
    budget_of: Callable[[TestCase], CallBudget]
    job: GradingJob

    def run(self, case: TestCase, keeps: Path | None = None) -> _Seen:
        """Run it on a case with more time than the limit. `keeps`: where the stdout of a stopped run is kept."""
        self.job.between()
        outcome = run_patiently(self.job, self.program, case)
        measured = measured_run(self.program, self.checker, self.budget_of(case), case, outcome)
        stdout, stderr = _digest(self.program.stdout), _digest(self.program.stderr)
        is_stopped = outcome.ending is not Ending.EXITED
        if keeps is not None and is_stopped:
            self.program.stdout.rename(keeps)
        return _Seen(
            measured=measured,
            outcome=outcome,
            stdout=stdout,
            stderr=stderr,
            output=self.program.stdout,
            beginning=keeps if is_stopped else None,
        )


@of_a_case
def rerun_fixed(job: GradingJob, case: TestCase, sandbox: Sandbox, work_root: Path) -> FixedRun:
    """Try the fixes of the job's language on one case, then on all."""
    if job.package.is_interactive:
        raise NothingToShow(INTERACTIVE)
    if job.package.most_passes > 1:
        raise NothingToShow(SEVERAL_PASSES)
    with ExitStack() as stack:
        folder = stack.enter_context(fresh_folder(work_root, "fix-"))
        checker = stack.enter_context(open_checker(job.package, sandbox, work_root, job.cpu))
        shop = _Shop(job=job, sandbox=sandbox, work_root=work_root, folder=folder, checker=checker)
        return _Search(shop=shop, case=case, stack=stack).carry_out()


@dataclass(kw_only=True, slots=True)
class _Shop:
    """What every variant of the program needs."""

    job: GradingJob
    sandbox: Sandbox
    work_root: Path
    folder: Path
    checker: Checker
    number: int = 0
    started_at: float = field(default_factory=time.monotonic)

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
        reader = reader_in(self.sandbox, self.work_root, self.job.cpu)
        return rewrite(reader, self.job.source, language_by_id(self.job.language), codes)

    def open(self, source: bytes, stack: ExitStack) -> _Variant | None:
        """Compile a source and open its jail; None if it does not compile."""
        self.number += 1
        folder = make_folder(self.folder / str(self.number))
        job = replace(self.job, source=source)
        compilation = compile_job(job, Compiler(sandbox=self.sandbox, work_root=self.work_root, cpu=job.cpu), folder)
        if compilation.executable is None:
            return None
        program = stack.enter_context(open_program(job, compilation.executable, self.sandbox, folder))
        job = replace(job, between=self.let_others_go_first)
        return _Variant(program=program, checker=self.checker, budget_of=self.budget_of, job=job)

    def budget_of(self, case: TestCase) -> CallBudget:
        """Return the call limit on a case."""
        return budget_for(self.job, case.name, self.sandbox, self.work_root)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Candidate:
    """A changed program that wrote the same as the original on the case `run` is of."""

    rewritten: Rewritten
    variant: _Variant
    stack: ExitStack
    run: _Seen


@dataclass(frozen=True, kw_only=True, slots=True)
class _Checked:
    """What came of running a candidate on all cases."""

    run: int = 0
    compared: int = 0
    is_same: bool = True
    failed: TestCase | None = None
    verdict: Verdict | None = Verdict.AC  # None: not all were run


@dataclass(kw_only=True)
class _Search:
    """The way to the changed program. The original's runs are kept by case."""

    shop: _Shop
    case: TestCase
    stack: ExitStack
    originals: dict[str, _Seen] = field(default_factory=dict)
    is_other: bool = False  # some change did not compile, or wrote something else

    @cached_property
    def original(self) -> _Variant:
        """The program as it was sent."""
        variant = self.shop.open(self.shop.job.source, self.stack)
        if variant is None:
            raise NothingToShow(NOT_COMPILED)
        return variant

    def carry_out(self) -> FixedRun:
        """Find the changed program, and return what it gained. Raises NothingToShow."""
        job = self.shop.job
        fixes = list(fixes_for(job.language, job.found))
        if self.shop.rewrite([fix.code for fix in fixes]) is None:
            raise NothingToShow(NO_FIX)
        plain = self._original_on(self.case)
        if plain.outcome.exit_code != 0 if plain.is_whole else not plain.is_out_of_time:
            raise NothingToShow(FAILS)
        best, focus = self._extended(None, fixes, self.case), self.case
        while best is not None:
            best = self._pruned(best, focus)
            checked = self._checked(best)
            if not checked.is_same:
                codes, fixes = best.rewritten.codes[:-1], []
                best = None
                while best is None and codes and not self.shop.is_closing:
                    best = self._candidate(codes, self.case)
                    codes = codes[:-1]
            elif checked.failed is not None and checked.verdict in TOO_SLOW and fixes and not self.shop.is_closing:
                focus = checked.failed
                best = self._extended(best, fixes, focus)
            else:
                return self._compared(best, checked)
        if self.shop.is_closing:
            raise NothingToShow(_NO_TIME)
        raise NothingToShow(NOT_THE_SAME if self.is_other else NO_FIX)

    def _extended(self, best: _Candidate | None, fixes: list[Fix], focus: TestCase) -> _Candidate | None:
        """Add fixes of `left`, taking them off, until the case would be accepted."""
        while fixes and not self.shop.is_closing:
            codes = best.rewritten.codes if best is not None else ()
            best = self._candidate([*codes, fixes.pop(0).code], focus) or best
            if best is not None and best.run.measured.verdict is Verdict.AC:
                break
        return best

    def _pruned(self, best: _Candidate, focus: TestCase) -> _Candidate:
        """Return the candidate without the fixes that it is as fast without."""
        for code in best.rewritten.codes[:-1] if len(best.rewritten.codes) > 1 else ():
            if self.shop.is_closing:
                break
            codes = [other for other in best.rewritten.codes if other != code]
            leaner = self._candidate(codes, focus)
            if leaner is not None and _is_as_good(leaner.run, best.run):
                best = leaner
        return best

    def _candidate(self, codes: Sequence[str], case: TestCase) -> _Candidate | None:
        """Return the source with these fixes, compiled and run on a case; None if it cannot be or writes otherwise."""
        rewritten = self.shop.rewrite(codes)
        if rewritten is None or rewritten.codes != tuple(codes):
            return None
        stack = self.stack.enter_context(ExitStack())
        variant = self.shop.open(rewritten.source.encode(), stack)
        run = _run(variant, case) if variant is not None else None
        if variant is None or run is None or not run.matches(self._original_on(case), self._compares_stderr(rewritten)):
            stack.close()
            self.is_other = True
            return None
        return _Candidate(rewritten=rewritten, variant=variant, stack=stack, run=run)

    def _compares_stderr(self, rewritten: Rewritten) -> bool:
        silent = {fix.code for fix in fixes_for(self.shop.job.language, ()) if fix.changes_stderr}
        return not silent & set(rewritten.codes)

    def _original_on(self, case: TestCase) -> _Seen:
        """Return what the original did on a case: run once."""
        if case.name not in self.originals:
            keeps = self.shop.folder / f"original-{len(self.originals)}"
            self.originals[case.name] = self.original.run(case, keeps=keeps)
        return self.originals[case.name]

    def _checked(self, candidate: _Candidate) -> _Checked:
        """Run a candidate on all cases, once on equal ones, in the problem's order, until one fails."""
        checked, programs = _Checked(), set[str]()
        for case in self.shop.job.package.test_cases:
            if case.digest and case.digest in programs:
                continue
            programs.add(case.digest)
            if self.shop.is_closing:
                return replace(checked, verdict=checked.verdict if checked.failed else None)
            run = _run(candidate.variant, case)
            is_judged = case.name in self.shop.job.judged_cases or case.name == self.case.name
            is_same = run is not None and (
                not is_judged or run.matches(self._original_on(case), self._compares_stderr(candidate.rewritten))
            )
            if run is None or not is_same:
                self.is_other = True
                return replace(checked, is_same=False)
            is_failed = run.measured.verdict is not Verdict.AC
            checked = replace(checked, run=checked.run + 1, compared=checked.compared + is_judged)
            if is_failed:
                return replace(checked, failed=case, verdict=run.measured.verdict)
        return checked

    def _compared(self, best: _Candidate, checked: _Checked) -> FixedRun:
        """Run both in turns if that is cheap, and return what is kept. Raises NothingToShow without any gain."""
        plain, fixed = [self._original_on(self.case)], [best.run if checked.failed is None else self._again(best)]
        spent_us = sum(run.measured.usage.wall_time_us for run in (*plain, *fixed))
        while spent_us <= CHEAP_US and len(plain) < ROUNDS:
            plain.append(self.original.run(self.case))
            fixed.append(self._again(best))
        if not all(run.is_whole for run in fixed):
            raise NothingToShow(STILL_STOPPED)
        before, after = median_run(run.measured for run in plain), median_run(run.measured for run in fixed)
        needs_fewer = before.verdict in TOO_SLOW and after.verdict is Verdict.AC
        if not is_faster(after.usage.cpu_time_us, before.usage.cpu_time_us) and not needs_fewer:
            raise NothingToShow(NO_GAIN)
        return FixedRun(
            source=best.rewritten.source,
            diff=best.rewritten.diff,
            codes=best.rewritten.codes,
            plain=before,
            fixed=after,
            is_whole=plain[0].is_whole,
            cases=len({case.digest or case.name for case in self.shop.job.package.test_cases}),
            run=checked.run,
            compared=checked.compared,
            verdict=checked.verdict,
            failed_case=checked.failed.name if checked.failed else "",
            has_all_stderr=self._compares_stderr(best.rewritten),
        )

    def _again(self, best: _Candidate) -> _Seen:
        """Return one more run on the decisive case, which has to write the same too."""
        run = _run(best.variant, self.case)
        if run is None or not run.matches(self._original_on(self.case), self._compares_stderr(best.rewritten)):
            raise NothingToShow(NOT_THE_SAME)
        return run


def _run(variant: _Variant, case: TestCase) -> _Seen | None:
    """Run a changed program; None if the kernel will not start it."""
    try:
        return variant.run(case)
    except CommandError:
        return None


def _is_as_good(leaner: _Seen, best: _Seen) -> bool:
    """Return whether a program with fewer changes will do: it is accepted and nearly as fast, or as fast."""
    leaner_us, best_us = leaner.measured.usage.cpu_time_us, best.measured.usage.cpu_time_us
    if leaner.measured.verdict is Verdict.AC:
        return leaner_us <= _NEARLY * best_us
    is_whole = leaner.is_whole or not best.is_whole  # what a stopped run took says nothing
    return best.measured.verdict is not Verdict.AC and is_whole and leaner_us <= _NEARLY_OF_REJECTED * best_us


def _begins_with(whole: Path, beginning: Path) -> bool:
    return same_beginning(whole, beginning)[0] == beginning.stat().st_size


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
