"""What verification tells while it goes on, and its report at the end: plain values, and the report's JSON.

The JSON's shape is a promise (tests/judge/test_commands.py keeps it); the page draws from it, long after the run.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from judge.verdicts import Verdict
from judge.verification.calibration import Margins, Timed
from problems.package import JurySubmission, TimeRule

PHASES = ("programs", "inputs", "outputs", "submissions", "unbuffered")
MOST_CASES = 500
_MOST_FINDINGS = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One file was looked at; of `submissions` and `unbuffered`, it begins. `problem` is what is wrong with it."""

    phase: str  # one of PHASES
    name: str  # below the package
    done: int  # of the phase's steps
    total: int
    problem: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseTime:
    """What an accepted case of a jury submission used."""

    cpu_time_us: int
    write_calls: int
    stdout_bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseTried:
    """How a case of a jury submission ended."""

    name: str
    verdict: Verdict
    cpu_time_us: int

    def as_json(self) -> dict[str, Any]:
        """All fields by name."""
        return {"name": self.name, "verdict": self.verdict.value, "cpu_time_us": self.cpu_time_us}


@dataclass(frozen=True, kw_only=True, slots=True)
class Unexpected:
    """The first case with a verdict that was not expected, and what was said on it, cut to what a table can hold."""

    case: str
    verdict: str
    stderr: str
    message: str  # of the checker


@dataclass(frozen=True, kw_only=True, slots=True)
class SubmissionVerified:
    """What became of one jury submission. `verdict` is None when it was not run; `sentence` then says why."""

    submission: JurySubmission
    expected: frozenset[str]
    verdict: Verdict | None
    score: float | None = None
    max_cpu_time_us: int = 0
    max_peak_memory_bytes: int = 0
    slowest_case: str = ""
    sentence: str = ""  # what the numbers mean, or for a judge error what went wrong
    problems: tuple[str, ...] = ()  # what is not as expected
    is_excluded: bool = False  # from finding the time limit
    is_cut_short: bool = False  # its slowest case was ended by the wall limit: it may need any more CPU time
    is_over_bound: bool = False  # it is too slow on a case where it must be in time
    bound_us: int | None = None  # most CPU time of a case that the limit has to be above; None: there is none
    unexpected: Unexpected | None = None
    cases: tuple[CaseTried, ...] = ()  # of one that is not as expected, MOST_CASES at most
    accepted_cases: Mapping[str, CaseTime] = field(default_factory=dict)  # by name

    @property
    def is_as_expected(self) -> bool:
        """Whether nothing speaks against it; so it is for one that was not run."""
        return not self.problems

    def as_json(self) -> dict[str, Any]:
        """The promised keys first."""
        return {
            "path": self.submission.name,
            "language": self.submission.language,
            "expected": sorted(self.expected),
            "verdict": self.verdict and self.verdict.value,
            "score": self.score,
            "max_cpu_time_us": self.max_cpu_time_us,
            "ok": self.is_as_expected,
            "max_peak_memory_bytes": self.max_peak_memory_bytes,
            "slowest_case": self.slowest_case,
            "text": self.sentence,
            "problems": list(self.problems),
            "excluded": self.is_excluded,
            "bound": self.submission.time_limit_bound,
            "bound_us": self.bound_us,
            "cut_short": self.is_cut_short,
            "unexpected": self.unexpected and asdict(self.unexpected),
            "cases": [case.as_json() for case in self.cases],
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Forecast:
    """What a right solution would use if it flushed each line. Times in CPU time."""

    language: str
    buffered_us: int  # printing the answer, buffered
    flushing_us: int  # printing it with a flush per line
    base_path: str  # the accepted submission that the difference is added to
    base_us: int
    forecast_us: int
    verdict: Verdict
    text: str

    def as_json(self) -> dict[str, Any]:
        """All fields by name."""
        return {**asdict(self), "verdict": self.verdict.value}


@dataclass(frozen=True, kw_only=True, slots=True)
class Unbuffered:
    """The forecasts for the case with the most to print; `skipped` says why there are none."""

    skipped: str = ""
    case: str = ""
    lines: int = 0
    bytes: int = 0
    stdout: str = "file"
    forecasts: tuple[Forecast, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """All fields by name."""
        return {**asdict(self), "forecasts": [forecast.as_json() for forecast in self.forecasts]}


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeLimit:
    """The limit, where it comes from, and what it rests on."""

    limit_ms: int
    source: str  # "problem.yaml", ".timelimit", "domjudge-problem.ini", "calibrated", or "default"
    rule: TimeRule
    margins: Margins
    by_language: tuple[Timed, ...] = ()  # the slowest of those that must be in time, per language
    excluded: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """For the picture of the margins."""
        return {
            "rule": asdict(self.rule),
            "slowest_in_time": _timed(self.margins.slowest_in_time),
            "fastest_too_slow": _timed(self.margins.fastest_too_slow),
            "in_time_factor": _rounded(self.margins.in_time_factor),
            "too_slow_factor": _rounded(self.margins.too_slow_factor),
            "by_language": [_timed(one) for one in self.by_language],
            "excluded": list(self.excluded),
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class InputsChecked:
    """How many inputs were shown to which validators; equal ones once."""

    validators: tuple[str, ...] = ()
    files: int = 0
    runs: int = 0
    rejected: int = 0  # of those that must be accepted


class Findings:
    """Warnings and errors in the order in which they were found, each once, not more than anybody reads."""

    def __init__(self) -> None:
        self.warnings: list[str] = []
        self.errors: list[str] = []

    def warn(self, sentence: str) -> None:
        """Note what the setter should know."""
        _append(self.warnings, sentence)

    def error(self, sentence: str) -> None:
        """Note what keeps the package from being right."""
        _append(self.errors, sentence)


@dataclass(frozen=True, kw_only=True, slots=True)
class VerificationReport:
    """All that verification found."""

    problem: str
    time_limit: TimeLimit
    submissions: tuple[SubmissionVerified, ...]
    inputs: InputsChecked
    unbuffered: Unbuffered
    warnings: tuple[str, ...]
    errors: tuple[str, ...]

    @property
    def is_ok(self) -> bool:
        """Whether there is no error; warnings are for the setter to weigh."""
        return not self.errors

    def as_json(self) -> dict[str, Any]:
        """The promised keys first."""
        return {
            "problem": self.problem,
            "time_limit_ms": self.time_limit.limit_ms,
            "submissions": [one.as_json() for one in self.submissions],
            "warnings": list(self.warnings),
            "errors": list(self.errors),
            "ok": self.is_ok,
            "time_limit_source": self.time_limit.source,
            "calibration": self.time_limit.as_json(),
            "unbuffered": self.unbuffered.as_json(),
            "inputs": {**asdict(self.inputs), "validators": list(self.inputs.validators)},
        }


def unreadable_as_json(problem: str, errors: list[str]) -> dict[str, Any]:
    """The promised keys for a package that cannot be read at all."""
    return {
        "problem": problem,
        "time_limit_ms": None,
        "submissions": [],
        "warnings": [],
        "errors": errors,
        "ok": False,
    }


def _append(found: list[str], sentence: str) -> None:
    if sentence not in found and len(found) < _MOST_FINDINGS:
        found.append(sentence)


def _timed(one: Timed | None) -> dict[str, Any] | None:
    return None if one is None else asdict(one)


def _rounded(factor: float | None) -> float | None:
    return None if factor is None else round(factor, 3)
