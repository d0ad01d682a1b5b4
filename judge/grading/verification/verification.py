"""Verify a package: try everything in it, compare with the setter's expectations and write a report.

The phases, in order: its programs are compiled; every input validator is asked about every input, and about those of
the package's generator by size; the output validator about the jury's answers and the outputs that must be rejected or
accepted; every jury submission is graded; and what flushing each line would cost is measured. Nothing runs at the same
time as something else, so that the times are fair.

Without a time limit in the package, the submissions that must be in time are graded first under a generous one; the
limit that follows from them holds for the others.

All of it has a limit as well: `judge.grading.verification.pace`. What is left then is not run: an error of the package.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from judge.grading.checkers.validators import open_validator
from judge.grading.compiling.compilation import Compiler
from judge.grading.events import CaseJudged
from judge.grading.running.interaction import check_interactor
from judge.grading.verification import unbuffered, verified
from judge.grading.verification.data import InputsCheck, check_growth_inputs, check_outputs
from judge.grading.verification.jury import Jury
from judge.grading.verification.jury_trial import Trial
from judge.grading.verification.pace import MOST_S, OutOfTime, Pace
from judge.grading.verification.validation import BuiltValidator, build_validator, name_of
from problems.diagnostics import reason_of
from problems.groups.dialects import UNSURE
from problems.loading.lint import lint
from problems.loading.loading import UNGIVEN_LIMIT
from problems.package import Package, PackageError
from problems.statement.pictures import tells_of_missing_pictures
from problems.translation import Sentence
from sandbox.types import Destination, Sandbox
from sandbox.workdir import fresh_folder

Told = verified.Step | verified.SubmissionVerified | verified.ReportRecord


def verify(package: Package, sandbox: Sandbox, work_root: Path, **how: Any) -> Iterator[Told]:
    """Verify the package like `open_verification`; the last event is the report. Raises SandboxError."""
    with open_verification(package, sandbox, work_root, **how) as going:
        yield from going.run()


@contextmanager
def open_verification(
    package: Package,
    sandbox: Sandbox,
    work_root: Path,
    *,
    exclude: frozenset[str] = frozenset(),
    chosen: Mapping[str, Any] | None = None,
    cpu: int | None = None,
    watch: Callable[[CaseJudged], None] = lambda case: None,
    between: Callable[[], None] = lambda: None,
    most_s: float = MOST_S,
) -> Iterator["Verification"]:
    """Return the verification of a package on the core `cpu`; `run` starts it.

    `exclude` has the names of submissions that set no time limit; `chosen` the limits, as in ProblemLimits, that its
    instructor chose instead of the package's; `watch` is told of each case of a submission that was
    run. `between` is called between any two programs, and may take its time: it is not counted among the `most_s`
    seconds of wall time after which nothing more is run.
    """
    chosen = chosen or {}
    limits = replace(package.limits, **chosen)
    is_limit_given = package.is_time_limit_given or "time_limit_ms" in chosen
    with fresh_folder(work_root, "verify-") as folder:
        jury = Jury(
            package=replace(package, limits=limits, is_time_limit_given=is_limit_given),
            chosen=chosen,
            sandbox=sandbox,
            work_root=work_root,
            exclude=exclude,
            cpu=cpu,
            watch=watch,
            pace=Pace(between, most_s),
        )
        yield Verification(jury, folder)


class Verification:
    """One verification in progress."""

    def __init__(self, jury: Jury, folder: Path) -> None:
        self._jury = jury
        self._package = jury.package
        self._folder = folder
        self._compiler = Compiler(sandbox=jury.sandbox, work_root=jury.work_root, cpu=jury.cpu)
        self._findings = verified.Findings(self._package.original)
        self._trial = Trial(jury, self._findings)
        self._validators: list[BuiltValidator] = []
        self._no_verdicts = ""  # why no program gets one
        self._inputs: InputsCheck | None = None
        self._unbuffered = verified.Unbuffered(skipped=Sentence("The submissions were not run."))

    def run(self) -> Iterator[Told]:
        """Verify everything; the last event is the report. Raises SandboxError, our own failure: try again."""
        # first what nobody may miss, since there are only so many
        for warning in sorted(self._package.warnings, key=tells_of_missing_pictures, reverse=True):
            if reason_of(warning) not in (UNGIVEN_LIMIT, *UNSURE):  # what is found instead is told later
                self._findings.warn(warning, is_told=True)
        for notice in lint(self._package):
            self._findings.warn(notice)
        names = {submission.name for submission in self._package.submissions}
        for name in sorted(self._trial.jury.exclude - names):
            why = Sentence("is to be excluded from the time limit, but is not there")
            self._findings.warn(verified.about(f"submissions/{name}", why))
        try:
            for event in self._phases():
                yield (
                    replace(event, name=self._package.original(event.name))
                    if isinstance(event, verified.Step)
                    else event
                )
        except OutOfTime as over:
            self._findings.error(Sentence("verification: %(why)s; the rest is not run", why=over.why))
            self._unbuffered = _not_measured(over.why)
            yield from self._trial.skip(over.why)
        yield self.report()

    def _phases(self) -> Iterator[Told]:
        yield from self._programs()
        self._inputs = InputsCheck(self._jury, self._validators, self._findings)
        yield from self._inputs.run()
        yield from check_growth_inputs(self._jury, self._findings)
        if not self._no_verdicts:
            self._no_verdicts = yield from check_outputs(self._jury, self._findings)
        if self._no_verdicts:
            yield from self._trial.skip(Sentence("the checker does not work"))
            return
        yield from self._trial.run()
        self._no_verdicts = self._trial.why_no_verdicts()
        yield from self._forecasts()

    def _programs(self) -> Iterator[verified.Step]:
        jury = self._jury
        checker, validators = self._package.output_validator, self._package.input_validators
        total = len(validators) + (checker is not None)
        problem = ""
        if checker is not None:
            samples = [case for case in self._package.test_cases if case.is_sample]
            try:
                with open_validator(self._package, jury.sandbox, jury.work_root, jury.cpu) as validator:
                    if self._package.is_interactive:
                        check_interactor(validator, samples or list(self._package.test_cases[:1]))
            except PackageError as error:
                problem = self._no_verdicts = error.sentence
                self._findings.error(error.sentence)
            yield verified.Step(phase="programs", name=name_of(checker), done=1, total=total, problem=problem)
            jury.pace.pause()
        if not validators:
            self._findings.warn(
                verified.about("input_validators", Sentence("hold no program: nothing checks the inputs"))
            )
        for number, program in enumerate(validators):
            problem = ""
            try:
                folder = self._folder / f"validator{number}"
                built = build_validator(program, self._package.limits, self._compiler, folder)
                self._validators += [built] if built else []
                if built is None:
                    why = Sentence("is not run: there is no maintained tool for VIVA")
                    self._findings.warn(verified.about(name_of(program), why))
            except PackageError as error:
                problem = error.sentence
                self._findings.error(error.sentence)
            done = total - len(validators) + number + 1
            yield verified.Step(phase="programs", name=name_of(program), done=done, total=total, problem=problem)
            jury.pace.pause()

    def _forecasts(self) -> Iterator[verified.Step]:
        """Yield the phase `unbuffered`, under the computed limit."""
        package, results = self._trial.jury.package, self._trial.results
        if reason := unbuffered.why_skipped(package, results):
            self._unbuffered = verified.Unbuffered(skipped=reason)
            return
        languages = unbuffered.languages_of(package, results)
        stdout = Destination(package.limits.stdout)
        forecasts = []
        try:
            printed = unbuffered.find_printed(self._trial.jury, results, self._folder)
            for number, language in enumerate(languages):
                yield verified.Step(phase="unbuffered", name=language.name, done=number, total=len(languages))
                printing = unbuffered.time_printing(language, printed.path, stdout, self._compiler, self._jury.pace)
                forecast = unbuffered.forecast(language, printing, printed, results, package.limits.time_limit_ms)
                forecasts += [forecast] if forecast else []
        except unbuffered.NotMeasured as error:
            self._unbuffered = _not_measured(error.why)
            return
        self._unbuffered = unbuffered.measured(printed, stdout, forecasts, package.limits.time_limit_ms)

    def report(self, stopped: Sentence | None = None) -> verified.ReportRecord:
        """Return the report so far; `stopped` says why `run` did not finish, as half a sentence."""
        if self._trial.dialect is not None and not self._trial.dialect.is_certain:
            for warning in self._package.warnings:
                if reason_of(warning) in UNSURE:
                    self._findings.warn(warning, is_told=True)
        results = self._trial.so_far(stopped) if stopped else self._trial.results
        warnings, is_ok = self._findings.warnings, not self._findings.errors and not stopped
        return verified.ReportRecord(
            problem=self._package.short_name,
            time_limit_ms=self._trial.jury.package.limits.time_limit_ms,
            time_limit_source=self._trial.source,
            calibration=self._trial.calibration.rounded,
            submissions=tuple(result.record for result in results),
            inputs=self._inputs.checked if self._inputs else verified.InputsChecked(),
            unbuffered=self._unbuffered,
            warnings=tuple(warnings),
            errors=tuple(self._findings.errors),
            ok=is_ok,
            clean=is_ok and not any(map(tells_of_missing_pictures, warnings)),
            score_dialect=self._trial.dialect,
            complete=not stopped,
            stopped=stopped or "",
            no_verdicts=self._no_verdicts,
        )


def _not_measured(why: Sentence) -> verified.Unbuffered:
    return verified.Unbuffered(skipped=Sentence("What flushing costs was not measured: %(why)s.", why=why))
