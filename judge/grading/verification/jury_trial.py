"""The phase `submissions`: grade every jury submission, and find the time limit if the package gives none."""

from collections.abc import Iterator
from dataclasses import replace

from judge.grading.events import CaseJudged
from judge.grading.verdicts import Verdict
from judge.grading.verification import calibration
from judge.grading.verification.calibration import Calibration, Timed
from judge.grading.verification.expectations import is_as_wanted
from judge.grading.verification.jury import Jury, why_not_run
from judge.grading.verification.verified import Findings, Step, SubmissionVerified, about
from judge.grading.words import duration, time_limit
from problems.diagnostics import Report
from problems.format.limits import MOST_TIME_LIMIT_S, SECOND_MS
from problems.format.yamlfile import read_yaml
from problems.groups.dialects import expected_of, expected_points
from problems.groups.points import dialect_of, in_dialect
from problems.package import JurySubmission, Package, PackageError
from problems.testgroups import Dialect, other_dialect
from problems.translation import CountedSentence, Sentence, joined

CHOSEN = "settings"  # the source of a time limit that the problem's instructor chose
_MOST_NAMED = 4
_MOST_LIMIT_MS = MOST_TIME_LIMIT_S * SECOND_MS
_LEAST_FACTOR = 2.0  # what a legacy package's given limit should be of the slowest accepted one


class Trial:
    """All jury submissions of a package, one after the other. `results` and `time_limit` hold what was found."""

    def __init__(self, jury: Jury, findings: Findings) -> None:
        self.jury = replace(jury, watch=self._note)
        self._watch = jury.watch
        self._running: tuple[JurySubmission, dict[str, CaseJudged]] | None = None
        self.results: list[SubmissionVerified] = []
        self._findings = findings
        self.source = CHOSEN if "time_limit_ms" in jury.chosen else source_of_limit(jury.package)
        self._setter: Timed | None = None  # the one from which the time limit follows, once it is found
        self._is_capped = False  # more would follow than a time limit can be
        self.dialect = jury.package.dialect
        self._is_dialect_known = self.dialect is None

    def run(self) -> Iterator[Step | SubmissionVerified]:
        """Grade them all, first those that set the limit, or whose points tell the dialect. Raises SandboxError."""
        others = sorted(self.jury.package.submissions, key=lambda submission: expected_points(submission) is None)
        if not self.jury.package.is_time_limit_given:
            yield from self._grade_bounds([submission for submission in others if self._sets_limit(submission)])
            others = [
                program for program in others if not self._sets_limit(program) or calibration.must_be_too_slow(program)
            ]
        yield from self._grade(others)
        self.results.sort(key=lambda result: result.path)
        self._warn_of_missing()
        self._warn_of_margins()

    def _grade_bounds(self, bounds: list[JurySubmission]) -> Iterator[Step | SubmissionVerified]:
        """Yield those that set the limit: the right ones under a generous one, the others under what follows from them.

        Many a wrong one never ends, case by case. One that needs more than the limit raises it.
        """
        right = [submission for submission in bounds if submission.expected == {Verdict.AC.value}]
        yield from self._grade(right, limit_ms=calibration.GENEROUS_MS)
        self._find_limit()
        for submission in bounds:
            if calibration.must_be_too_slow(submission):  # on other cases: it is graded under the limit that is found
                yield self._step(submission)
                self._raise_limit(_timed(self._generous.try_out(submission), lower=True))
            elif submission not in right:
                yield from self._grade([submission], goes_on=True)
                self._find_limit()
        limit = time_limit(self.jury.package.limits.time_limit_ms)
        why = Sentence("is not given, and no submission that was run sets it: %(limit)s is used", limit=limit)
        if self._setter is not None:
            why = Sentence(
                "is not given: %(limit)s follows from the %(time)s of %(submission)s",
                limit=limit,
                time=duration(self._setter.cpu_time_us),
                submission=f"submissions/{self._setter.name}",
            )
        self._findings.warn(PackageError("problem.yaml", "limits.time_limit", why).sentence)
        if self._is_capped:
            rule = self.jury.package.time_rule
            why = Sentence(
                "would have to be more than the %(limit)s that it can be at most: it is to be %(factor)s times what "
                "the slowest accepted submission needs",
                limit=limit,
                factor=f"{rule.ac_to_time_limit:g}",
            )
            self._findings.error(PackageError("problem.yaml", "limits.time_limit", why).sentence)

    def skip(self, reason: Sentence) -> Iterator[SubmissionVerified]:
        """Record that the submissions not graded yet cannot be."""
        graded = {result.path for result in self.results}
        missing = [submission for submission in self.jury.package.submissions if submission.name not in graded]
        skipped = [self.jury.not_run(submission, reason) for submission in missing]
        self.results = sorted([*self.results, *skipped], key=lambda result: result.path)
        yield from skipped

    def why_no_verdicts(self) -> str:
        """Return the first judge error if everything that was run ended in one, "" otherwise."""
        run = [result for result in self.results if result.verdict not in (None, Verdict.CE)]
        return run[0].text if run and all(result.verdict is Verdict.JE for result in run) else ""

    def so_far(self, reason: Sentence) -> tuple[SubmissionVerified, ...]:
        """Return the results by name, with partial ones of the running submission; the others count as not run.

        A time limit that is not given follows from these.
        """
        if not self.jury.package.is_time_limit_given:
            self._find_limit()
        done = {result.path: result for result in self.results}
        cases = {self._running[0].name: list(self._running[1].values())} if self._running else {}
        return tuple(
            done.get(program.name) or self.jury.broken_off(program, reason, cases.get(program.name, []))
            for program in sorted(self.jury.package.submissions, key=lambda submission: submission.name)
        )

    def _note(self, case: CaseJudged) -> None:
        if self._running is not None:
            self._running[1][case.name] = case
        self._watch(case)

    @property
    def calibration(self) -> Calibration:
        """The basis of the limit that held in the end."""
        limit_ms, rule = self.jury.package.limits.time_limit_ms, self.jury.package.time_rule
        excluded = tuple(result.path for result in self.results if result.excluded)
        return calibration.calibration_of(limit_ms, rule, self._timed(lower=True), self._timed(lower=False), excluded)

    def _sets_limit(self, submission: JurySubmission) -> bool:
        is_bound = bool(calibration.parts_in_time(submission)) and submission.name not in self.jury.exclude
        return is_bound and not why_not_run(submission)

    def _with_limit(self, limit_ms: int) -> Jury:
        limits = replace(self.jury.package.limits, time_limit_ms=limit_ms)
        return replace(self.jury, package=replace(self.jury.package, limits=limits))

    @property
    def _generous(self) -> Jury:
        return self._with_limit(calibration.GENEROUS_MS)

    def _grade(
        self, submissions: list[JurySubmission], *, limit_ms: int | None = None, goes_on: bool = False
    ) -> Iterator[Step | SubmissionVerified]:
        """Grade a submission under `limit_ms`, or under the limit so far.

        `goes_on`: one that is too slow to bind the limit is graded once more, which shows what it needs.
        """
        for submission in submissions:
            yield self._step(submission)
            result = self._try_out(submission, limit_ms, goes_on=goes_on)
            if self._tells_other_dialect(result):
                result = self._try_out(submission, limit_ms, goes_on=goes_on)
            self.results.append(result)
            if result.is_endless:
                why = Sentence(
                    "prints more than the output limit before its time is over: OLE, which is taken for the TLE that "
                    "its folder asks for"
                )
                self._findings.warn(about(f"submissions/{submission.name}", why))
            if result.problems:
                name = self.jury.package.original(f"submissions/{submission.name}")
                problems = joined(result.problems)
                if result.verdict is not None:
                    problems = Sentence("%(problems)s. %(meaning)s", problems=problems, meaning=result.text)
                self._findings.error(about(name, problems), is_told=True)
            yield result

    def _try_out(self, submission: JurySubmission, limit_ms: int | None, *, goes_on: bool) -> SubmissionVerified:
        result = (self._with_limit(limit_ms) if limit_ms else self.jury).try_out(submission)
        return self._generous.try_out(submission) if goes_on and result.is_over_bound else result

    def _tells_other_dialect(self, result: SubmissionVerified) -> bool:
        """Return whether only the other dialect gives the expected points; the package is then read in that one.

        The first submission whose points tell the dialects apart decides.
        """
        expected = expected_points(result.submission)
        if self._is_dialect_known or expected is None or result.score is None or result.other_score is None:
            return False
        fits, fits_other = (is_as_wanted(points, (expected, expected)) for points in (result.score, result.other_score))
        if fits == fits_other:
            return False
        name = dialect_of(self.jury.package)
        why = expected_of(result.submission, expected)
        self._is_dialect_known = True
        self.dialect = Dialect(name=name if fits else other_dialect(name), why=why, is_certain=True)
        if fits_other:
            self.jury = replace(self.jury, package=in_dialect(self.jury.package, self.dialect.name))
            self.results = [
                replace(result, score=result.other_score, other_score=result.score) for result in self.results
            ]
        return fits_other

    def _step(self, submission: JurySubmission) -> Step:
        self._running = (submission, {})
        total = len(self.jury.package.submissions)
        return Step(phase="submissions", name=f"submissions/{submission.name}", done=len(self.results), total=total)

    def _find_limit(self) -> None:
        """Compute the limit from the results so far; each further result can only raise it."""
        slowest = calibration.slowest(self._timed(lower=True))
        if slowest is not None:
            self._raise_limit(slowest)

    def _raise_limit(self, setter: Timed) -> None:
        if self._setter is None or setter.cpu_time_us > self._setter.cpu_time_us:
            self._setter = setter
            self.source = "calibrated"
            found_ms = calibration.found_limit_ms(setter.cpu_time_us, self.jury.package.time_rule)
            self.jury = self._with_limit(min(found_ms, _MOST_LIMIT_MS))
            self._is_capped = found_ms > _MOST_LIMIT_MS

    def _timed(self, *, lower: bool) -> list[Timed]:
        """Return the slowest cases of those that came out as expected and are bound to one side of the limit."""
        return [
            _timed(result, lower=lower)
            for result in self.results
            if result.verdict is not None
            and result.verdict.record.is_judged
            and not (result.problems or result.excluded or result.is_endless)
            and (result.bound_us is not None if lower else calibration.must_be_too_slow(result.submission))
        ]

    def _warn_of_missing(self) -> None:
        names = [result.path for result in self.results if result.verdict is None]
        if not names:
            return
        listed = ", ".join(names[:_MOST_NAMED]) + (", ..." if len(names) > _MOST_NAMED else "")
        words: dict[str, str | int] = {"number": len(names), "total": len(self.results), "names": listed}
        why = CountedSentence(
            "%(number)s of %(total)s are not run (%(names)s)",
            "%(number)s of %(total)s are not run (%(names)s)",
            len(names),
            **words,
        )
        if len(names) == len(self.results):
            why = CountedSentence(
                "%(number)s of %(total)s are not run (%(names)s): nothing is verified",
                "%(number)s of %(total)s are not run (%(names)s): nothing is verified",
                len(names),
                **words,
            )
        self._findings.warn(about("submissions", why))

    def _warn_of_margins(self) -> None:
        package, margins = self.jury.package, self.calibration
        rule, limit_ms = package.time_rule, package.limits.time_limit_ms
        least = min(rule.ac_to_time_limit, _LEAST_FACTOR) if package.is_legacy else rule.ac_to_time_limit
        near, far = margins.slowest_in_time, margins.fastest_too_slow
        if near and margins.in_time_factor is not None and margins.in_time_factor < least:
            why = Sentence(
                "needs %(time)s of %(limit)s: the limit should be %(factor)s times what the slowest one in time needs",
                time=duration(near.cpu_time_us),
                limit=time_limit(limit_ms),
                factor=f"{least:g}",
            )
            self._findings.warn(about(f"submissions/{near.name}", why))
        if far and not calibration.is_over_margin(far.cpu_time_us, Verdict.TLE, limit_ms, rule):
            why = Sentence(
                "needs %(time)s, with a limit of %(limit)s: too slow ones should need %(factor)s times the limit",
                time=duration(far.cpu_time_us),
                limit=time_limit(limit_ms),
                factor=f"{rule.time_limit_to_tle:g}",
            )
            self._findings.warn(about(f"submissions/{far.name}", why))


def _timed(result: SubmissionVerified, *, lower: bool) -> Timed:
    return Timed(
        name=result.path,
        language=result.language or "",
        cpu_time_us=result.bound_us if lower and result.bound_us is not None else result.max_cpu_time_us,
        is_measured=not result.cut_short,
    )


def source_of_limit(package: Package) -> str:
    """Return which file gives the time limit, by the precedence of `loading`; "default" if none does."""
    if not package.is_time_limit_given:
        return "default"
    file = package.path / "problem.yaml"
    data = read_yaml(file, file.name, Report()) if file.exists() else {}
    limits = data.get("limits")
    if isinstance(limits, dict) and limits.get("time_limit") is not None:
        return "problem.yaml"
    return next((name for name in (".timelimit", "domjudge-problem.ini") if (package.path / name).exists()), "default")
