"""Grade one jury submission as a contestant's, and compare the result with its setter's expectation."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from judge.grading.compiling.compilation import readable
from judge.grading.events import CaseJudged, Event, GradingFinished, GradingJob
from judge.grading.explain import as_sentence
from judge.grading.jury_job import jury_job
from judge.grading.languages import LANGUAGES
from judge.grading.running.execution import run_limits
from judge.grading.scoring.scoring import score
from judge.grading.submission.grading import grade, keep_output
from judge.grading.verdicts import Verdict
from judge.grading.verification import calibration
from judge.grading.verification.expectations import either, unmet
from judge.grading.verification.pace import Pace
from judge.grading.verification.verified import MOST_CASES, CaseTime, CaseTried, SubmissionVerified, Unexpected
from problems.groups.points import dialect_of, in_dialect, rules_of
from problems.languages import language_of
from problems.package import JurySubmission, Package, PackageError
from problems.testgroups import other_dialect
from problems.translation import CountedSentence, Sentence, quoted
from sandbox.types import Sandbox

_MOST_WORDS = 600  # characters of what a program or checker said


@dataclass(frozen=True, kw_only=True, slots=True)
class Jury:
    """The package as it is judged, and where. `exclude`: names of submissions that do not bind the time limit.

    `chosen` are those of its limits that its instructor chose. `cpu` is the core that all of it runs on; None: any.
    `watch` is told of each case that was run. Without time left in `pace`, everything raises OutOfTime.
    """

    package: Package
    sandbox: Sandbox
    work_root: Path
    exclude: frozenset[str] = frozenset()
    chosen: Mapping[str, Any] = field(default_factory=dict)
    cpu: int | None = None
    watch: Callable[[CaseJudged], None] = field(default=lambda case: None)
    pace: Pace = field(default_factory=Pace)

    def try_out(self, submission: JurySubmission) -> SubmissionVerified:
        """Grade and compare. Raises SandboxError."""
        relaxed = submission
        if submission.name in self.exclude:  # it may also be too slow, and does not bind the limit
            slow = frozenset({Verdict.TLE.value})
            expectations = tuple(
                replace(part, permitted=part.permitted and part.permitted | slow, time_limit_bound="")
                for part in submission.expectations
            )
            expected = submission.expected | slow
            relaxed = replace(submission, expected=expected, expectations=expectations, time_limit_bound="")
        if reason := why_not_run(submission):
            return self._not_run(relaxed, reason)
        try:
            job = self._job(submission)
        except PackageError as error:
            return self.not_run(relaxed, error.why)
        runs_all = any(expectation.cases for expectation in relaxed.expectations)
        result = self._graded(relaxed, replace(job, runs_all=runs_all))
        if not result.is_whole and (result.problems or not result.is_slow_enough):
            # It was stopped after two cases over the limit; what is missing may lie in those after them.
            result = self._graded(relaxed, replace(job, runs_all=True))
        return result.as_verified(submission.name in self.exclude)

    def not_run(self, submission: JurySubmission, reason: Sentence) -> SubmissionVerified:
        """Return the result of a submission that a fault in the package keeps from running: this counts against it."""
        return replace(self._not_run(submission, reason), problems=(reason,), ok=False)

    def broken_off(self, submission: JurySubmission, reason: Sentence, cases: list[CaseJudged]) -> SubmissionVerified:
        """Return the result of a submission that was interrupted or kept waiting, which does not count against it."""
        if not cases:
            return self._not_run(submission, why_not_run(submission) or reason)
        slowest = max(cases, key=lambda case: case.usage.cpu_time_us)
        of = len(self.package.test_cases)
        return replace(
            self._not_run(submission, reason),
            text=CountedSentence(
                "broken off after %(number)s test case of %(total)s: %(reason)s",
                "broken off after %(number)s test cases of %(total)s: %(reason)s",
                len(cases),
                number=f"{len(cases):,}",
                total=of,
                reason=reason,
            ),
            max_cpu_time_us=slowest.usage.cpu_time_us,
            max_peak_memory_bytes=max(case.usage.peak_memory_bytes for case in cases),
            slowest_case=slowest.name,
            cases=tuple(map(_tried, cases[:MOST_CASES])),
        )

    def _not_run(self, submission: JurySubmission, reason: Sentence) -> SubmissionVerified:
        return SubmissionVerified(
            submission=submission,
            path=submission.name,
            language=submission.language,
            expected=tuple(sorted(submission.expected)),
            bound=submission.time_limit_bound,
            text=Sentence("not run: %(reason)s", reason=reason),
            excluded=submission.name in self.exclude,
        )

    def keep_output(self, submission: JurySubmission, case_name: str, target: Path) -> bool:
        """Keep in `target` what it prints on a case; whether that is right. Raises SandboxError."""
        is_right = keep_output(self._job(submission), case_name, target, self.sandbox, self.work_root)
        self.pace.pause()
        return is_right

    def _graded(self, submission: JurySubmission, job: GradingJob) -> "_Graded":
        cases = []
        finished: Event | None = None
        for finished in grade(job, self.sandbox, self.work_root):
            if isinstance(finished, CaseJudged):
                cases.append(finished)
                self.watch(finished)
            self.pace.pause()
        if not isinstance(finished, GradingFinished):
            raise TypeError(f"grading ended with {type(finished).__name__}")
        return _Graded(package=self.package, submission=submission, cases=cases, finished=finished)

    def _job(self, submission: JurySubmission) -> GradingJob:
        return replace(
            jury_job(self.package, submission, self.cpu),
            keeps_stderr=True,
            overrun_percent=calibration.overrun_percent(self.package.time_rule),
        )


def why_not_run(submission: JurySubmission) -> Sentence | None:
    """Return why Tally does not run it, as half a sentence; None if it does."""
    if submission.language in LANGUAGES:
        return None
    names = ", ".join(language.short_name for language in LANGUAGES.values())
    if language_of(submission.path.name):
        return Sentence("it is in no version of its language that Tally runs")
    named = submission.language or submission.path.suffix or Sentence("its language")
    return Sentence("%(language)s is none of %(known)s", language=named, known=names)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Graded:
    """A jury submission with its grading."""

    package: Package
    submission: JurySubmission
    cases: list[CaseJudged]
    finished: GradingFinished

    @property
    def is_whole(self) -> bool:
        return len(self.cases) == len(self.package.test_cases) or not self.finished.verdict.record.is_judged

    @property
    def is_slow_enough(self) -> bool:
        """Return whether it is too slow by the margin that the package asks for, if it has to be too slow."""
        if not calibration.must_be_too_slow(self.submission) or self.is_cut_short or self.is_endless:
            return True
        limit_ms, rule = self.package.limits.time_limit_ms, self.package.time_rule
        return any(
            calibration.is_over_margin(case.usage.cpu_time_us, case.verdict, limit_ms, rule) for case in self.cases
        )

    @property
    def is_cut_short(self) -> bool:
        """Return whether its slowest case was ended by the wall limit, which counts no time without a core."""
        usages = [case.usage for case in self.cases if case.verdict is Verdict.TLE]
        if not usages:
            return False
        usage = max(usages, key=lambda usage: usage.cpu_time_us)
        limit_us = run_limits(self.package.limits).wall_time_ms * 1_000
        return usage.wall_time_us - min(usage.queued_time_us, limit_us) >= limit_us

    @property
    def is_endless(self) -> bool:
        """Whether its output stopped it before its time was over, which the legacy format's TLE may mean."""
        is_of_text = self.package.is_legacy and not self.submission.expectations
        return is_of_text and self.submission.expected == {Verdict.TLE} and self.finished.verdict is Verdict.OLE

    @property
    def is_over_bound(self) -> bool:
        """Return whether it is too slow where it must be in time."""
        return any(case.verdict is Verdict.TLE for case in calibration.binding(self.submission, self.cases))

    @property
    def unexpected(self) -> Unexpected | None:
        """The first case that ended neither right nor as expected."""
        fine = {*self.submission.expected, Verdict.AC.value}
        case = next((case for case in self.cases if case.verdict.value not in fine), None)
        if case is None:
            return None
        stderr, message = _end_of(readable(case.stderr).strip()), _end_of(case.judge_message)
        return Unexpected(case=case.name, verdict=case.verdict.value, stderr=stderr, message=message)

    @property
    def problems(self) -> tuple[Sentence, ...]:
        submission, got = self.submission, self.finished.verdict.value
        if self.is_endless:
            return ()
        if got not in submission.expected:
            verdicts = either(submission.expected)
            return (Sentence("expected %(verdicts)s, got %(got)s", verdicts=verdicts, got=got),)
        problems = []
        if self.is_over_bound:
            problems.append(Sentence("must be within the time limit, and is not"))
        is_slow = any(case.verdict is Verdict.TLE for case in self.cases)
        if calibration.must_be_too_slow(submission) and not is_slow:
            problems.append(Sentence("must be too slow, and is not"))
        for expectation in submission.expectations:
            problems += unmet(expectation, self.cases, self.finished, is_whole=self.is_whole)
        return tuple(problems)

    def _other_score(self) -> float | None:
        """Return the points in the dialect that Tally did not choose; None if there is no other, or no points."""
        rules = rules_of(in_dialect(self.package, other_dialect(dialect_of(self.package))))
        if rules is None or self.package.dialect is None or self.finished.score is None:
            return None
        try:
            return score(rules, {case.name: case for case in self.cases}).score
        except PackageError:  # out of a range that fits the one dialect only
            return None

    def as_verified(self, is_excluded: bool) -> SubmissionVerified:
        slowest = max(self.cases, key=lambda case: case.usage.cpu_time_us, default=None)
        language, original = LANGUAGES.get(self.submission.language or ""), self.package.original
        explained = (as_sentence(finding, language) for finding in self.finished.explanation)
        sentence = self.finished.judge_message or next(explained, Sentence(self.finished.verdict.record.meaning))
        problems = self.problems
        times = [case.usage.cpu_time_us for case in calibration.binding(self.submission, self.cases)]
        return SubmissionVerified(
            submission=self.submission,
            path=self.submission.name,
            language=self.submission.language,
            expected=tuple(sorted(self.submission.expected)),
            bound=self.submission.time_limit_bound,
            ok=not problems,
            verdict=self.finished.verdict,
            score=self.finished.score,
            other_score=self._other_score(),
            max_cpu_time_us=slowest.usage.cpu_time_us if slowest else 0,
            max_peak_memory_bytes=max((case.usage.peak_memory_bytes for case in self.cases), default=0),
            slowest_case=slowest.name if slowest else "",
            text=quoted(sentence).with_values(original),
            findings=tuple(finding.code for finding in self.finished.explanation),
            problems=tuple(problem.with_values(original) for problem in problems),
            excluded=is_excluded,
            is_endless=self.is_endless,
            cut_short=self.is_cut_short,
            is_over_bound=self.is_over_bound,
            bound_us=max(times, default=None),
            unexpected=self.unexpected if problems else None,
            cases=tuple(map(_tried, self.cases[:MOST_CASES])) if problems else (),
            accepted_cases={
                case.name: CaseTime(
                    cpu_time_us=case.usage.cpu_time_us, write_calls=case.io.write_calls, stdout_bytes=case.stdout_bytes
                )
                for case in self.cases
                if case.verdict is Verdict.AC
            },
        )


def _tried(case: CaseJudged) -> CaseTried:
    return CaseTried(name=case.name, verdict=case.verdict, cpu_time_us=case.usage.cpu_time_us)


def _end_of(words: str) -> str:
    """Return the end of a long message: a program's last words say why it ended."""
    return words if len(words) <= _MOST_WORDS else f"...{words[-_MOST_WORDS:]}"
