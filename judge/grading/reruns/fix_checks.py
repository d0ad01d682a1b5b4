"""Run a changed program on all cases, several times where one run does not tell, beside the original.

On each case that was judged, the original runs too. If it comes to its end, stdout, stderr and the exit code or the
signal have to be the same to the byte; if a limit stopped it, what it wrote has to be the beginning, and the checker
decides about the rest. Cases that were never judged are left to the checker alone. The case that decides is run
`margin.RUNS` times, in turns with the original where that is cheap, and so is each other case that one run brings near
the limit.
"""

from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from judge.grading.events import RunsOfCase
from judge.grading.margin import FAR, RUNS, Standing, standing
from judge.grading.reruns.again import NothingToShow
from judge.grading.reruns.variants import Candidate, Seen, Shop, Variant
from judge.grading.verdicts import Verdict
from problems.package import TestCase
from problems.translation import gettext_noop

NOT_COMPILED = gettext_noop("It could not be compiled again just now. Ask for it again in a moment.")
_PLAIN_WALL_US = 3_000_000  # of all runs of the original on the case that decides


@dataclass(kw_only=True)
class Originals:
    """The program as it was sent, and its first run on each case."""

    shop: Shop
    stack: ExitStack
    runs: dict[str, Seen] = field(default_factory=dict)
    variant: Variant | None = None

    def run(self, case: TestCase) -> Seen:
        """Run it once more. Raises NothingToShow if it does not compile."""
        if self.variant is None:
            self.variant = self.shop.open(self.shop.job.source, self.stack)
        if self.variant is None:
            raise NothingToShow(NOT_COMPILED)
        return self.variant.run(case, keeps=None if case.name in self.runs else self._place())

    def on(self, case: TestCase) -> Seen:
        """Return what it did on a case: run once. Raises NothingToShow."""
        if case.name not in self.runs:
            self.runs[case.name] = self.run(case)
        return self.runs[case.name]

    def _place(self) -> Path:
        return self.shop.folder / f"original-{len(self.runs)}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """What came of running a candidate on all cases. `plain` and `fixed`: the runs on the case that decides."""

    run: int = 0
    right: int = 0
    compared: int = 0
    stopped: int = 0  # of these: so many where the original was stopped
    is_same: bool = True
    failed: TestCase | None = None
    verdict: Verdict | None = Verdict.AC  # None: not all were run
    runs: tuple[RunsOfCase, ...] = ()
    plain: tuple[Seen, ...] = ()
    fixed: tuple[Seen, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """One candidate, and how it is checked. `compares`: with the original; False: it is meant to write otherwise."""

    shop: Shop
    originals: Originals
    candidate: Candidate
    decisive: TestCase
    compares: bool
    compares_stderr: bool

    def carry_out(self) -> Checked:
        """Run it on the case that decides, then on all others once, in the problem's order, until one fails.

        Of equal cases one is run. A candidate that is not compared is run on all, however many fail.
        """
        checked = self._on(self.decisive, Checked())
        seen = {self.decisive.digest or self.decisive.name}
        for case in self.shop.job.package.test_cases:
            if not checked.is_same or (checked.failed and self.compares):
                break
            if (case.digest or case.name) in seen:
                continue
            if self.shop.is_closing:
                return replace(checked, verdict=checked.verdict if checked.failed else None)
            seen.add(case.digest or case.name)
            checked = self._on(case, checked)
        return checked

    def _on(self, case: TestCase, checked: Checked) -> Checked:
        """Return what is known after this case."""
        is_decisive, job = case.name == self.decisive.name, self.shop.job
        is_compared = self.compares and (is_decisive or case.name in job.judged_cases)
        runs, plain = [], [self.originals.on(case)] if is_compared or is_decisive else []
        while True:
            run = self.candidate.variant.run_changed(case)
            if run is None or (is_compared and not run.matches(plain[0], compares_stderr=self.compares_stderr)):
                return replace(checked, is_same=False)
            runs.append(run)
            if not self._needs_more(runs, is_decisive=is_decisive):
                break
            spent_us = sum(seen.measured.usage.wall_time_us for seen in plain)
            if is_decisive and spent_us * (len(plain) + 1) <= _PLAIN_WALL_US * len(plain):
                plain.append(self.originals.run(case))
        verdict, timed = _verdict(runs), _timed(case, runs)
        is_failed = verdict is not Verdict.AC
        is_first_failed = is_failed and checked.failed is None
        return replace(
            checked,
            run=checked.run + 1,
            right=checked.right + (not is_failed),
            compared=checked.compared + is_compared,
            stopped=checked.stopped + (is_compared and not plain[0].is_ended),
            failed=case if is_first_failed else checked.failed,
            verdict=verdict if is_first_failed else checked.verdict,
            runs=(*checked.runs, timed) if len(runs) > 1 or is_decisive else checked.runs,
            plain=tuple(plain) if is_decisive else checked.plain,
            fixed=tuple(runs) if is_decisive else checked.fixed,
        )

    def _needs_more(self, runs: list[Seen], *, is_decisive: bool) -> bool:
        """Return whether a further run is worth it: the verdict hangs on the time, which is not far from the limit."""
        last, limit_us = runs[-1], self.shop.limit_us
        if len(runs) >= RUNS or self.shop.is_closing or last.measured.verdict not in (Verdict.AC, Verdict.TLE):
            return False
        if last.cpu_us >= FAR * limit_us:
            return False
        return is_decisive or len(runs) > 1 or last.cpu_us * FAR > limit_us or last.measured.verdict is Verdict.TLE


def is_sure(runs: RunsOfCase, limit_us: int) -> bool:
    """Return whether these runs keep the limit with the margin."""
    return standing(runs.cpu_times_us, runs.over, limit_us) is Standing.WITHIN


def _timed(case: TestCase, runs: list[Seen]) -> RunsOfCase:
    return RunsOfCase(
        name=case.name,
        cpu_times_us=tuple(run.cpu_us for run in runs),
        over=sum(run.measured.verdict is Verdict.TLE for run in runs),
    )


def _verdict(runs: list[Seen]) -> Verdict:
    """Return the verdict of several runs: the first that time does not decide, else AC if one was in time."""
    verdicts = [run.measured.verdict for run in runs]
    others = (verdict for verdict in verdicts if verdict not in (Verdict.AC, Verdict.TLE))
    return next(others, Verdict.AC if Verdict.AC in verdicts else Verdict.TLE)
