"""Turn a jury submission into a grading job like a contestant's: its sources are read as `source_text` reads theirs."""

from pathlib import Path

from judge.grading.events import GradingJob, ProfilePolicy
from judge.grading.languages import Language, language_by_id
from judge.grading.source_text import in_utf8
from problems.encodings import UnknownEncoding
from problems.format.constants import replaced
from problems.languages import language_of
from problems.package import JurySubmission, Package


def jury_job(package: Package, submission: JurySubmission, cpu: int | None) -> GradingJob:
    """Return the job: constants replaced, the main file first, no profile pass. Only for supported languages."""
    assert submission.language is not None, "it was asked whether it is run"
    constants, language = package.constants, language_by_id(submission.language)
    files = tuple((name, replaced(_content(name, path, language), constants)) for name, path in submission.files)
    return GradingJob(
        package=package,
        language=submission.language,
        source=replaced(_content(submission.path.name, submission.path, language), constants),
        file_name=submission.path.name,
        files=_main_first(submission, files) if len(files) > 1 else (),
        profile=ProfilePolicy.NONE,
        cpu=cpu,
    )


def _content(name: str, path: Path, language: Language) -> bytes:
    """Return the file as the compiler gets it: a source of the language in UTF-8, anything else as it is."""
    raw = path.read_bytes()
    if language_of(name) != language.id:
        return raw
    try:
        return in_utf8(raw, language).content
    except UnknownEncoding:
        return raw  # what it means is for the compiler to say


def _main_first(submission: JurySubmission, files: tuple[tuple[str, bytes], ...]) -> tuple[tuple[str, bytes], ...]:
    mains = {name for name, path in submission.files if path == submission.path}
    return tuple(sorted(files, key=lambda file: file[0] not in mains))
