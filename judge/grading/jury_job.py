"""Turn a jury submission into a grading job like a contestant's."""

from judge.grading.events import GradingJob, ProfilePolicy
from problems.format.constants import replaced
from problems.package import JurySubmission, Package


def jury_job(package: Package, submission: JurySubmission, cpu: int | None) -> GradingJob:
    """Return the job: constants replaced, the main file first, no profile pass. Only for supported languages."""
    assert submission.language is not None, "it was asked whether it is run"
    constants = package.constants
    files = tuple((name, replaced(path.read_bytes(), constants)) for name, path in submission.files)
    return GradingJob(
        package=package,
        language=submission.language,
        source=replaced(submission.path.read_bytes(), constants),
        files=_main_first(submission, files) if len(files) > 1 else (),
        profile=ProfilePolicy.NONE,
        cpu=cpu,
    )


def _main_first(submission: JurySubmission, files: tuple[tuple[str, bytes], ...]) -> tuple[tuple[str, bytes], ...]:
    mains = {name for name, path in submission.files if path == submission.path}
    return tuple(sorted(files, key=lambda file: file[0] not in mains))
