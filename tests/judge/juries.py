"""Packages with jury submissions and validators, verified and graded by: values over files in a folder."""

from dataclasses import replace
from pathlib import Path

from judge.grading.events import CaseJudged, GradingFinished, GradingJob, ProfilePolicy
from judge.grading.submission.grading import grade
from judge.grading.verification.verification import verify
from judge.grading.verification.verified import ReportRecord, Step, SubmissionVerified
from problems.languages import language_of
from problems.package import JurySubmission, Package, PackageProgram, TestCase
from sandbox.jail.nsjail import NsjailSandbox

SUM = "print(sum(map(int, input().split())))"
NUMBERS = """
import re, sys
line = sys.stdin.read()
print("looked at", line.strip())
sys.exit(42 if re.fullmatch(r"[0-9]+ [0-9]+\\n", line) else 43)
"""
_BOUNDS = {"accepted": "lower", "time_limit_exceeded": "upper"}
_VERDICTS = {"accepted": "AC", "time_limit_exceeded": "TLE", "wrong_answer": "WA"}
_GRAMMARS = {".ctd": "checktestdata", ".viva": "viva"}


def with_submissions(package: Package, sources: dict[str, str]) -> Package:
    """The package with submissions: name below submissions/ ("accepted/a.py") -> source."""
    return replace(package, submissions=tuple(_submission(package.path, *item) for item in sorted(sources.items())))


def _submission(root: Path, name: str, source: str) -> JurySubmission:
    path = root / "submissions" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)
    folder = name.split("/")[0]
    return JurySubmission(
        path=path,
        name=name,
        language=language_of(name),
        expected=frozenset({_VERDICTS[folder]}),
        time_limit_bound=_BOUNDS.get(folder, ""),
    )


def with_validators(package: Package, sources: dict[str, str]) -> Package:
    """The package with input validators: file name -> source."""
    programs = []
    for name, source in sources.items():
        path = package.path / "input_validators" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
        language = _GRAMMARS.get(path.suffix) or language_of(name) or "script"
        programs.append(PackageProgram(path=path, language=language, entry=name, name=f"input_validators/{name}"))
    return replace(package, input_validators=tuple(programs))


def make_case(root: Path, name: str, content: str, answer: str = "") -> TestCase:
    """One more case, e.g. of invalid_input."""
    given, expected = root / "data" / f"{name}.in", root / "data" / f"{name}.ans"
    given.parent.mkdir(parents=True, exist_ok=True)
    given.write_text(content)
    expected.write_text(answer)
    return TestCase(name=name, input=given, answer=expected, is_sample=False)


def verified(
    package: Package, sandbox: NsjailSandbox, work_root: Path, exclude: frozenset[str] = frozenset()
) -> tuple[ReportRecord, list[Step], list[SubmissionVerified]]:
    """The report, and what was told before it."""
    *told, report = verify(package, sandbox, work_root, exclude=exclude)
    assert isinstance(report, ReportRecord)
    steps = [event for event in told if isinstance(event, Step)]
    return report, steps, [event for event in told if isinstance(event, SubmissionVerified)]


def graded(
    package: Package, source: bytes, sandbox: NsjailSandbox, work_root: Path
) -> tuple[GradingFinished, list[CaseJudged]]:
    """A Python program graded by this package: its end, and every case."""
    job = GradingJob(package=package, language="python", source=source, profile=ProfilePolicy.NONE)
    *events, finished = grade(job, sandbox, work_root)
    assert isinstance(finished, GradingFinished)
    return finished, [event for event in events if isinstance(event, CaseJudged)]
