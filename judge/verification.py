"""Every jury submission against the folder it lies in: does the package judge as its setter says?"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from judge.events import GradingFinished, GradingJob, ProfilePolicy, TestCaseJudged
from judge.grading import grade
from judge.verdicts import Verdict
from problems.package import JurySubmission, Package
from sandbox.types import Sandbox


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification:
    """What became of one jury submission. `verdict` is None when it is in a language that Tally does not run."""

    submission: JurySubmission
    verdict: Verdict | None
    max_cpu_time_us: int = 0
    max_peak_memory_bytes: int = 0
    sentence: str = ""  # what the numbers mean, or for a judge error what went wrong

    @property
    def is_as_expected(self) -> bool:
        """Whether nothing speaks against it; so it is for one that was not run."""
        return self.verdict is None or self.verdict.value in self.submission.expected


def verify(package: Package, sandbox: Sandbox, work_root: Path) -> Iterator[Verification]:
    """Grade all jury submissions, whatever becomes of the ones before. Raises SandboxError."""
    for submission in package.submissions:
        if submission.language is None:
            sentence = "not run: a language that Tally does not know, or several files"
            yield Verification(submission=submission, verdict=None, sentence=sentence)
        else:
            yield _verify_one(package, submission, submission.language, sandbox, work_root)


def _verify_one(
    package: Package, submission: JurySubmission, language: str, sandbox: Sandbox, work_root: Path
) -> Verification:
    job = GradingJob(
        package=package, language=language, source=submission.path.read_bytes(), profile=ProfilePolicy.NONE
    )
    events = list(grade(job, sandbox, work_root))
    usages = [event.usage for event in events if isinstance(event, TestCaseJudged)]
    finished = events[-1]
    if not isinstance(finished, GradingFinished):
        raise TypeError(f"grading ended with {type(finished).__name__}")
    return Verification(
        submission=submission,
        verdict=finished.verdict,
        max_cpu_time_us=max((usage.cpu_time_us for usage in usages), default=0),
        max_peak_memory_bytes=max((usage.peak_memory_bytes for usage in usages), default=0),
        sentence=finished.judge_message or finished.explanation[0].text,
    )
