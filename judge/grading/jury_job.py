"""Turn a jury submission into a grading job like a contestant's: its sources are read as `source_text` reads theirs."""

from pathlib import Path

from judge.grading.events import GradingJob, ProfilePolicy
from judge.grading.languages import language_by_id
from judge.grading.source_text import FalseDeclaration, in_utf8
from problems.encodings import UnknownEncoding
from problems.format.constants import replaced
from problems.languages import language_of
from problems.package import JurySubmission, Package, PackageError


def jury_job(package: Package, submission: JurySubmission, cpu: int | None) -> GradingJob:
    """Return the job: constants replaced, the main file first, no profile pass. Only for supported languages.

    Raises PackageError where a source declares another encoding than its own: a contestant could not submit it.
    """
    assert submission.language is not None, "it was asked whether it is run"
    constants = package.constants
    ordered = sorted(submission.files, key=lambda file: file[1] != submission.path)  # the main file first
    files = tuple((name, replaced(_content(submission, name, path), constants)) for name, path in ordered)
    return GradingJob(
        package=package,
        language=submission.language,
        source=replaced(_content(submission, submission.path.name, submission.path), constants),
        file_name=submission.path.name,
        files=files if len(files) > 1 else (),
        profile=ProfilePolicy.NONE,
        cpu=cpu,
    )


def _content(submission: JurySubmission, name: str, path: Path) -> bytes:
    """Return the file as the compiler gets it: a source of the language in UTF-8, anything else as it is."""
    raw, language = path.read_bytes(), language_of(name)
    if language is None or language != submission.language:
        return raw
    try:
        return in_utf8(raw, language_by_id(language)).content
    except UnknownEncoding:
        return raw  # what it means is for the compiler to say
    except FalseDeclaration as declaration:
        why = PackageError(name, "", declaration.why).sentence if submission.files else declaration.why
        raise PackageError(f"submissions/{submission.name}", "", why) from declaration
