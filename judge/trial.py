"""The phase `submissions`: every jury submission is graded, and the time limit found where the package gives none."""

from collections.abc import Iterator
from dataclasses import replace

from judge import calibration
from judge.calibration import Timed
from judge.explain.words import limit_seconds, seconds
from judge.jury import Jury, why_not_run
from judge.verdicts import Verdict
from judge.verified import Findings, Step, SubmissionVerified, TimeLimit
from problems.package import JurySubmission, Package, PackageError
from problems.report import Report
from problems.yamlfile import read_yaml

_LEAST_FACTOR = 2.0  # what a legacy package's given limit should be of the slowest accepted one


class Trial:
    """All jury submissions of a package, one after the other. `results` and `time_limit` hold what was found."""

    def __init__(self, jury: Jury, findings: Findings) -> None:
        self.jury = jury
        self.results: list[SubmissionVerified] = []
        self._findings = findings
        self._source = source_of_limit(jury.package)

    def run(self) -> Iterator[Step | SubmissionVerified]:
        """Grade them all, those that set the limit first. Raises SandboxError."""
        others = list(self.jury.package.submissions)
        if not self.jury.package.is_time_limit_given:
            setting = [one for one in others if self._sets_limit(one)]
            others = [one for one in others if not self._sets_limit(one)]
            yield from self._grade(setting, self._with_limit(calibration.GENEROUS_MS))
            self._find_limit()
        yield from self._grade(others, self.jury)
        self.results.sort(key=lambda one: one.submission.name)
        self._judge()

    def skip(self, reason: str) -> Iterator[SubmissionVerified]:
        """None of them can be graded."""
        self.results = [self.jury.not_run(one, reason) for one in self.jury.package.submissions]
        yield from self.results

    @property
    def time_limit(self) -> TimeLimit:
        """The limit that held in the end."""
        in_time = self._timed(lower=True)
        limit_ms = self.jury.package.limits.time_limit_ms
        return TimeLimit(
            limit_ms=limit_ms,
            source=self._source,
            rule=self.jury.package.time_rule,
            margins=calibration.margins(limit_ms, in_time, self._timed(lower=False)),
            by_language=calibration.slowest_by_language(in_time),
            excluded=tuple(one.submission.name for one in self.results if one.is_excluded),
        )

    def _sets_limit(self, submission: JurySubmission) -> bool:
        is_bound = calibration.must_be_in_time(submission) and submission.name not in self.jury.exclude
        return is_bound and not why_not_run(submission)

    def _with_limit(self, limit_ms: int) -> Jury:
        limits = replace(self.jury.package.limits, time_limit_ms=limit_ms)
        return replace(self.jury, package=replace(self.jury.package, limits=limits))

    def _grade(self, submissions: list[JurySubmission], jury: Jury) -> Iterator[Step | SubmissionVerified]:
        total = len(jury.package.submissions)
        for submission in submissions:
            file = f"submissions/{submission.name}"
            yield Step(phase="submissions", name=file, done=len(self.results), total=total)
            result = jury.try_out(submission)
            self.results.append(result)
            if result.problems:
                self._findings.error(f"{file}: {'; '.join(result.problems)}. {result.sentence}")
            yield result

    def _find_limit(self) -> None:
        slowest = calibration.slowest(self._timed(lower=True))
        if slowest is None:
            default = limit_seconds(self.jury.package.limits.time_limit_ms)
            why = f"is not given, and no submission that was run sets it: {default} is used"
        else:
            self._source = "calibrated"
            found_ms = calibration.found_limit_ms(slowest.cpu_time_us, self.jury.package.time_rule)
            self.jury = self._with_limit(found_ms)
            why = f"is not given: {limit_seconds(found_ms)} follows from the {seconds(slowest.cpu_time_us)} of "
            why += f"submissions/{slowest.name}"
        self._findings.warn(str(PackageError("problem.yaml", "limits.time_limit", why)))

    def _timed(self, *, lower: bool) -> list[Timed]:
        """The slowest cases of those that came out as expected and are bound to one side of the limit."""
        is_bound = calibration.must_be_in_time if lower else calibration.must_be_too_slow
        return [
            Timed(
                name=one.submission.name,
                language=one.submission.language or "",
                cpu_time_us=one.max_cpu_time_us,
                is_measured=not one.is_cut_short,
            )
            for one in self.results
            if one.verdict not in (None, Verdict.CE, Verdict.JE)
            and not (one.problems or one.is_excluded)
            and is_bound(one.submission)
        ]

    def _judge(self) -> None:
        """What the setter should know of the set of them, and of the margins."""
        ran = [one for one in self.results if one.verdict is not None]
        if self.results and not ran:
            self._findings.warn("submissions: none is in a language that Tally runs: nothing is verified")
        for one in self.results:
            if one.verdict is None:
                self._findings.warn(f"submissions/{one.submission.name}: {one.sentence}")
        package, limit = self.jury.package, self.time_limit
        rule, margins = package.time_rule, limit.margins
        least = min(rule.ac_to_time_limit, _LEAST_FACTOR) if package.is_legacy else rule.ac_to_time_limit
        near, far = margins.slowest_in_time, margins.fastest_too_slow
        if near and margins.in_time_factor is not None and margins.in_time_factor < least:
            self._findings.warn(
                f"submissions/{near.name}: needs {seconds(near.cpu_time_us)} of {limit_seconds(limit.limit_ms)}: "
                f"the limit should be {least:g} times what the slowest one in time needs"
            )
        if far and margins.too_slow_factor is not None and not self._is_far_enough(far, package):
            self._findings.warn(
                f"submissions/{far.name}: needs {seconds(far.cpu_time_us)}, with a limit of "
                f"{limit_seconds(limit.limit_ms)}: too slow ones should need {rule.time_limit_to_tle:g} times the limit"
            )

    def _is_far_enough(self, far: Timed, package: Package) -> bool:
        limit_ms = package.limits.time_limit_ms
        return calibration.is_over_margin(far.cpu_time_us, Verdict.TLE, limit_ms, package.time_rule)


def source_of_limit(package: Package) -> str:
    """Which file gives the time limit, by the precedence of `loading`; "default" if none does."""
    if not package.is_time_limit_given:
        return "default"
    file = package.path / "problem.yaml"
    data = read_yaml(file, file.name, Report()) if file.exists() else {}
    limits = data.get("limits")
    if isinstance(limits, dict) and limits.get("time_limit") is not None:
        return "problem.yaml"
    return next((name for name in (".timelimit", "domjudge-problem.ini") if (package.path / name).exists()), "default")
