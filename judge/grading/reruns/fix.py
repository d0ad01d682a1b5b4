"""Change the source of a judged program so that it is faster, and show by runs that it is.

How it works: all fixes of `judge.grading.fixes` that apply are tried together, since some gain only together (without
`endl`, a tied `cin` still flushes). If that does not compile or writes another byte than the original, they are added
one by one, and a step that fails is dropped. Fixes that gain nothing are taken out again; where what is left is not
sure to keep the limit, the fixes that one of them stood in the way of are tried in its place. The program is then run
on all cases (`fix_checks`). If a case shows another output, the last fix is dropped and the rest is tried again.

Both programs run on the same core with more time than the limit; the problem's own limits decide about the verdict. An
original that cannot end, by a limit on time or output, is no obstacle. What was not run is not claimed: after a while
no further run is started. Of a program whose output was refused, prints are left out instead (`leftover`). Where the
changed program is still over the time limit, its CPU time is sampled by line.
"""

from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from judge.grading.checkers.checking import open_checker
from judge.grading.events import FixedRun, GradingJob, LineShare
from judge.grading.fixes import Fix, Rewritten, fixes_for
from judge.grading.margin import FAR, MARGIN
from judge.grading.reruns.again import NothingToShow, of_a_case
from judge.grading.reruns.fix_checks import NOT_COMPILED, Checked, Originals, Trial, is_sure
from judge.grading.reruns.leftover import is_more_than_the_answer, without_leftovers
from judge.grading.reruns.line_times import measure_line_times
from judge.grading.reruns.patient import median_run
from judge.grading.reruns.reasons import REFUSED, TOO_SLOW
from judge.grading.reruns.variants import Candidate, Seen, Shop, rewritten_source
from judge.grading.sameness import is_faster
from judge.grading.verdicts import Verdict
from judge.grading.words import percent
from problems.package import TestCase
from problems.translation import gettext_noop
from sandbox.types import Sandbox
from sandbox.workdir import fresh_folder

__all__ = ["NOT_COMPILED", "rerun_fixed"]

_ROOM = 1.4  # times the CPU time: so much room to the limit makes a difference that may be noise none
_HARDLY = 1.1  # times the CPU time, with less room: so much more may a program with fewer changes take
_LEAST_PERCENT = 10  # of the CPU time: below it a line is not what takes the time

INTERACTIVE = gettext_noop("In a conversation each line has to be flushed, so no fix is tried.")
SEVERAL_PASSES = gettext_noop("A case of several passes is not tried with a fix.")
NO_FIX = gettext_noop("There is nothing in this source that Tally can change by itself.")
NO_GAIN = gettext_noop("The changes that Tally can make by itself were tried, and none of them made it faster.")
NOT_THE_SAME = gettext_noop(
    "The changes that Tally can make by itself were tried, and none of them compiled and kept the whole output."
)
STILL_STOPPED = gettext_noop(
    "The changes that Tally can make by itself were tried, and it still did not end, with far more time than the limit."
)
FAILS = gettext_noop("The program does not come to its end on this case, for another reason than time.")
_NO_TIME = gettext_noop("The trial took too long, so that no fix can be shown.")


@of_a_case
def rerun_fixed(job: GradingJob, case: TestCase, sandbox: Sandbox, work_root: Path) -> FixedRun:
    """Try the fixes of the job's language on one case, then on all. If none applies, only a reader ran."""
    if job.package.is_interactive:
        raise NothingToShow(INTERACTIVE)
    if job.package.most_passes > 1:
        raise NothingToShow(SEVERAL_PASSES)
    fixes = fixes_for(job.language, job.found)
    all_of_them = rewritten_source(job, [fix.code for fix in fixes], sandbox, work_root)
    if all_of_them is None and not job.is_refused:
        raise NothingToShow(NO_FIX)
    with ExitStack() as stack:
        folder = stack.enter_context(fresh_folder(work_root, "fix-"))
        checker = stack.enter_context(open_checker(job.package, sandbox, work_root, job.cpu))
        shop = Shop(job=job, sandbox=sandbox, work_root=work_root, folder=folder, checker=checker)
        originals = Originals(shop=shop, stack=stack)
        return _Search(shop=shop, case=case, stack=stack, originals=originals, fixes=fixes).carry_out(all_of_them)


@dataclass(kw_only=True)
class _Search:
    """The way to the changed program."""

    shop: Shop
    case: TestCase
    stack: ExitStack
    originals: Originals
    fixes: tuple[Fix, ...]
    tried: set[tuple[str, ...]] = field(default_factory=set)
    is_other: bool = False  # some change did not compile, or wrote something else

    def carry_out(self, all_of_them: Rewritten | None) -> FixedRun:
        """Find the changed program, and return what it gained. Raises NothingToShow."""
        plain = self.originals.on(self.case)
        if plain.outcome.exit_code != 0 if plain.is_whole else not plain.is_stopped:
            raise NothingToShow(FAILS)
        if self.shop.job.is_refused and (fix := self._without_leftovers(plain)):
            return fix
        if all_of_them is None:
            raise NothingToShow(NO_FIX)
        whole = self._candidate(all_of_them.codes) or self._extended()
        best = self._pruned(self._exchanged(whole)) if whole is not None else None
        while best is not None:
            checked = self._checked(best)
            if not checked.is_same:
                self.is_other = True
                best = self._shortened(best.rewritten.codes)
            elif (
                whole is not None
                and checked.failed is not None
                and checked.verdict in TOO_SLOW
                and len(best.rewritten.codes) < len(whole.rewritten.codes)
            ):
                best, whole = whole, None  # what gains nothing on this case may gain something on that one
            elif checked.verdict in REFUSED and (fix := self._without_leftovers(checked.fixed[0])):
                return fix  # it was too slow by what it should not have printed
            else:
                return self._compared(best, checked)
        if self.shop.is_closing:
            raise NothingToShow(_NO_TIME)
        raise NothingToShow(NOT_THE_SAME if self.is_other else NO_FIX)

    def _without_leftovers(self, refused: Seen) -> FixedRun | None:
        """Return what comes of leaving prints out; None if none are to be left out."""
        if not is_more_than_the_answer(refused, self.case):
            return None
        best = without_leftovers(self.shop, self.case, self.stack)
        return self._kept(best, self._checked(best, compares=False)) if best is not None else None

    def _extended(self) -> Candidate | None:
        """Add the fixes one by one, leaving out what fails."""
        best: Candidate | None = None
        for fix in self.fixes:
            if self.shop.is_closing:
                break
            best = self._candidate((*(best.rewritten.codes if best is not None else ()), fix.code)) or best
        return best

    def _exchanged(self, best: Candidate) -> Candidate:
        """Return a faster candidate without one of the fixes, where that lets others be made; else this one."""
        for code in best.rewritten.codes:
            if self.shop.is_closing or best.run.cpu_us * MARGIN <= self.shop.limit_us:
                break
            others = self.shop.rewrite([fix.code for fix in self.fixes if fix.code != code])
            if others is None or set(others.codes) < set(best.rewritten.codes):
                continue
            candidate = self._candidate(others.codes)
            if candidate is not None and candidate.run.is_whole and candidate.run.cpu_us < best.run.cpu_us:
                best = candidate
        return best

    def _pruned(self, best: Candidate) -> Candidate:
        """Return the candidate without the fixes that it is as fast without."""
        for code in best.rewritten.codes if len(best.rewritten.codes) > 1 else ():
            if self.shop.is_closing or best.rewritten.codes == (code,):
                break
            leaner = self._candidate(tuple(other for other in best.rewritten.codes if other != code))
            if leaner is not None and self._is_as_good(leaner.run, best.run):
                best = leaner
        return best

    def _shortened(self, codes: tuple[str, ...]) -> Candidate | None:
        """Return the candidate with as many of these fixes as still write the same, the last ones left out."""
        while len(codes) > 1 and not self.shop.is_closing:
            codes = codes[:-1]
            if (candidate := self._candidate(codes)) is not None:
                return candidate
        return None

    def _candidate(self, codes: tuple[str, ...]) -> Candidate | None:
        """Return the source with these fixes, compiled and run on the case; None if that fails or writes otherwise."""
        rewritten = self.shop.rewrite(codes) if codes not in self.tried else None
        self.tried.add(codes)
        if rewritten is None or rewritten.codes != codes:
            return None
        stack = self.stack.enter_context(ExitStack())
        variant = self.shop.open(rewritten.source.encode(), stack)
        run = variant.run_changed(self.case) if variant is not None else None
        original, compares_stderr = self.originals.on(self.case), self._compares_stderr(rewritten)
        if variant is None or run is None or not run.matches(original, compares_stderr=compares_stderr):
            stack.close()
            self.is_other = True
            return None
        return Candidate(rewritten=rewritten, variant=variant, stack=stack, run=run)

    def _compares_stderr(self, rewritten: Rewritten) -> bool:
        silent = {fix.code for fix in self.fixes if fix.changes_stderr}
        return not silent & set(rewritten.codes)

    def _checked(self, candidate: Candidate, *, compares: bool = True) -> Checked:
        return Trial(
            shop=self.shop,
            originals=self.originals,
            candidate=candidate,
            decisive=self.case,
            compares=compares,
            compares_stderr=self._compares_stderr(candidate.rewritten),
        ).carry_out()

    def _is_as_good(self, leaner: Seen, best: Seen) -> bool:
        """Return whether a program with fewer changes will do: it is about as fast, or far within the limit at last."""
        is_whole = leaner.is_whole or not best.is_whole  # what a stopped run took says nothing
        is_accepted = leaner.measured.verdict is Verdict.AC
        if not is_whole or (best.measured.verdict is Verdict.AC and not is_accepted):
            return False
        if is_accepted and leaner.cpu_us * _ROOM <= self.shop.limit_us:
            is_far = leaner.cpu_us * FAR * FAR <= self.shop.limit_us
            is_at_last = self.originals.on(self.case).measured.verdict is not Verdict.AC
            return (is_far and is_at_last) or not is_faster(best.cpu_us, leaner.cpu_us)
        return leaner.cpu_us <= _HARDLY * best.cpu_us

    def _compared(self, best: Candidate, checked: Checked) -> FixedRun:
        """Return what is kept. Raises NothingToShow without any gain."""
        if not all(run.is_whole for run in checked.fixed):
            raise NothingToShow(STILL_STOPPED)
        before, after = (median_run(run.measured for run in runs) for runs in (checked.plain, checked.fixed))
        needs_fewer = before.verdict in TOO_SLOW and checked.verdict is Verdict.AC
        if not is_faster(after.usage.cpu_time_us, before.usage.cpu_time_us) and not needs_fewer:
            raise NothingToShow(NO_GAIN)
        return self._kept(best, checked)

    def _kept(self, best: Candidate, checked: Checked) -> FixedRun:
        before, after = (median_run(run.measured for run in runs) for runs in (checked.plain, checked.fixed))
        fix = FixedRun(
            source=best.rewritten.source,
            diff=best.rewritten.diff,
            codes=tuple(code.partition(":")[0] for code in best.rewritten.codes),
            plain=before,
            fixed=after,
            is_whole=checked.plain[0].is_whole,
            cases=len({case.digest or case.name for case in self.shop.job.package.test_cases}),
            run=checked.run,
            compared=checked.compared,
            verdict=checked.verdict,
            failed_case=checked.failed.name if checked.failed else "",
            has_all_stderr=self._compares_stderr(best.rewritten) and all(run.stderr for run in checked.plain),
            plain_times_us=tuple(run.cpu_us for run in checked.plain),
            runs=checked.runs,
            stopped=checked.stopped,
            right=checked.right,
        )
        is_near = any(not is_sure(runs, self.shop.limit_us) for runs in checked.runs)
        if is_near and checked.verdict in (Verdict.AC, Verdict.TLE) and not self.shop.is_closing:
            fix = replace(fix, next_line=_most_costly_line(self.shop, best.rewritten, checked.failed or self.case))
        return fix


def _most_costly_line(shop: Shop, rewritten: Rewritten, case: TestCase) -> LineShare | None:
    """Return the line of a changed source that takes most of its CPU time; None if this host cannot sample, or if no
    line stands out.
    """
    shop.let_others_go_first()
    job = replace(shop.job, source=rewritten.source.encode(), judged_wall_us=0)
    times = measure_line_times(job, case.name, shop.sandbox, shop.work_root).result
    costly = max(times.lines, key=lambda line: line.own, default=None) if times is not None else None
    if times is None or costly is None:
        return None
    share = percent(costly.own, times.samples)
    return LineShare(line=costly.line, percent=share) if share >= _LEAST_PERCENT else None
