"""The events of a verification and its final report: plain values, and the report's JSON.

The JSON's shape is a promise (tests/judge/management/test_commands.py keeps it); the page draws from it,
long after the run.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from judge.grading.verdicts import Verdict
from judge.grading.verification.calibration import Calibration
from problems.jsonvalues import to_json
from problems.package import JurySubmission, PackageError
from problems.testgroups import Dialect
from problems.translation import Sentence

PHASES = ("programs", "inputs", "outputs", "submissions", "unbuffered")
MOST_CASES = 500
_MOST_FINDINGS = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One file was checked; for `submissions` and `unbuffered`, it begins. `problem` is the error in it."""

    phase: str  # one of PHASES
    name: str  # below the package
    done: int  # of the phase's steps
    total: int
    problem: str = ""  # a Sentence, as the other texts here are


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseTime:
    """The time and memory of an accepted case of a jury submission."""

    cpu_time_us: int
    write_calls: int
    stdout_bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseTried:
    """The verdict and the measurements of a case of a jury submission."""

    name: str
    verdict: Verdict
    cpu_time_us: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Unexpected:
    """The first case with an unexpected verdict, and its message, shortened for a table."""

    case: str
    verdict: str
    stderr: str
    message: Sentence | str  # of the checker


@dataclass(frozen=True, kw_only=True, slots=True)
class SubmissionRecord:
    """One jury submission's result in a report, the fields of the stable interface first.

    `verdict` is None when it did not run; `text` then says why.
    """

    path: str
    language: str | None = None
    expected: tuple[str, ...] = ()
    verdict: Verdict | None = None
    score: float | None = None
    max_cpu_time_us: int = 0
    ok: bool = True  # nothing contradicts the expectation; true if it did not run
    max_peak_memory_bytes: int = 0
    slowest_case: str = ""
    text: Sentence | str = ""  # what the numbers mean, or for a judge error what went wrong
    problems: tuple[Sentence | str, ...] = ()  # what is not as expected
    excluded: bool = False  # from finding the time limit
    bound: str | None = None
    bound_us: int | None = None  # most CPU time of a case that the limit has to be above; None: there is none
    cut_short: bool = False  # its slowest case was ended by the wall limit: it may need any more CPU time
    unexpected: Unexpected | None = None
    cases: tuple[CaseTried, ...] = ()  # of one that is not as expected, MOST_CASES at most


@dataclass(frozen=True, kw_only=True, slots=True)
class SubmissionVerified(SubmissionRecord):
    """One jury submission's result with what only the verification needs."""

    submission: JurySubmission
    other_score: float | None = None  # what it would be in the other dialect of the package's format
    findings: tuple[str, ...] = ()  # codes of the whole explanation
    is_endless: bool = False  # it prints until its output is too much, where it should be too slow
    is_over_bound: bool = False  # it is too slow on a case where it must be in time
    accepted_cases: Mapping[str, CaseTime] = field(default_factory=dict)  # by name

    @property
    def record(self) -> SubmissionRecord:
        """What a report keeps of it."""
        return SubmissionRecord(**{part.name: getattr(self, part.name) for part in fields(SubmissionRecord)})


@dataclass(frozen=True, kw_only=True, slots=True)
class Forecast:
    """The CPU time of a right solution if it flushed each line."""

    language: str
    buffered_us: int  # printing the answer, buffered
    flushing_us: int  # printing it with a flush per line
    base_path: str  # the accepted submission that the difference is added to
    base_us: int
    forecast_us: int
    verdict: Verdict
    text: Sentence | str


@dataclass(frozen=True, kw_only=True, slots=True)
class Unbuffered:
    """Forecasts for the case with the most output; `skipped` says why there are none."""

    skipped: Sentence | str = ""
    case: str = ""
    lines: int = 0
    bytes: int = 0
    stdout: str = "file"
    forecasts: tuple[Forecast, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class InputsChecked:
    """The number of inputs that were checked, and by which validators; equal inputs count once."""

    validators: tuple[str, ...] = ()
    files: int = 0
    runs: int = 0
    rejected: int = 0  # of those that must be accepted


class Findings:
    """Warnings and errors in order, each once, with a maximum number.

    `original` puts them into the names that the setter's files had, unless they are (`is_told`).
    """

    def __init__(self, original: Callable[[str], str] = str) -> None:
        self._original = original
        self.warnings: list[Sentence] = []
        self.errors: list[Sentence] = []

    def warn(self, sentence: Sentence, *, is_told: bool = False) -> None:
        """Add a warning for the setter."""
        _append(self.warnings, sentence if is_told else sentence.with_values(self._original))

    def error(self, sentence: Sentence, *, is_told: bool = False) -> None:
        """Add an error."""
        _append(self.errors, sentence if is_told else sentence.with_values(self._original))


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportRecord:
    """All results of a verification, the fields of the stable interface first.

    A package that cannot be read has no more than these.
    """

    problem: str = ""
    time_limit_ms: int | None = None
    submissions: tuple[SubmissionRecord, ...] = ()
    warnings: tuple[Sentence | str, ...] = ()
    errors: tuple[Sentence | str, ...] = ()
    ok: bool = False  # everything was checked without an error; the setter weighs warnings
    clean: bool = False  # it may be published without a reason: students also see everything of the statement
    # "problem.yaml", ".timelimit", "domjudge-problem.ini", "calibrated", "settings", or "default"
    time_limit_source: str = "calibrated"
    calibration: Calibration | None = None
    unbuffered: Unbuffered | None = None
    inputs: InputsChecked | None = None
    score_dialect: Dialect | None = None  # of a legacy package whose points depend on it
    complete: bool = True
    stopped: Sentence | str = ""  # why it is of a part only, as half a sentence; "": all was tried
    no_verdicts: Sentence | str = ""  # why no program gets a verdict by this package; "": nothing shows that

    def as_json(self) -> dict[str, Any]:
        """Return the JSON of the report, its sentences in English."""
        return dict(to_json(self))


@dataclass(kw_only=True, slots=True)
class Phase:
    """The progress of a phase: `done` of `total` files, of which `problems` have errors."""

    name: str
    done: int = 0
    total: int = 0
    problems: int = 0


@dataclass(kw_only=True, slots=True)
class Progress:
    """The progress of a verification that goes on. `file` is the current one."""

    phases: tuple[Phase, ...] = ()
    file: str = ""
    submissions: tuple[SubmissionRecord, ...] = ()  # without their cases

    def enter(self, name: str) -> Phase:
        """Return the phase of this name, starting it if necessary."""
        if not self.phases or self.phases[-1].name != name:
            self.phases += (Phase(name=name),)
        return self.phases[-1]

    def note(self, event: Step | SubmissionVerified) -> None:
        """Add one more event."""
        if isinstance(event, SubmissionVerified):
            self.submissions += (replace(event.record, cases=()),)
            return
        phase = self.enter(event.phase)
        phase.done, phase.total, self.file = event.done, event.total, event.name
        phase.problems += bool(event.problem)


def about(file: str, why: Sentence) -> Sentence:
    """Return "file: why"."""
    return PackageError(file, "", why).sentence


def unreadable_as_json(problem: str, errors: Sequence[str], stopped: str = "") -> dict[str, Any]:
    """Return the stable fields for a package that could not be read or tried (`stopped`)."""
    return {
        "problem": problem,
        "time_limit_ms": None,
        "submissions": [],
        "warnings": [],
        "errors": list(errors),
        "ok": False,
        **({"complete": False, "stopped": stopped} if stopped else {}),
    }


def _append(sentences: list[Sentence], sentence: Sentence) -> None:
    if sentence not in sentences and len(sentences) < _MOST_FINDINGS:
        sentences.append(sentence)
