"""The page of an uploaded package: what it waits for, its progress, its errors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judge.models import PackageUpload, Status, WorkerNode
from judge.queue import leases
from judge.uploads.importing import READING, UNPACKING
from problems.models import Problem
from problems.package import PackageErrors
from problems.publishing import check_slug
from web.presentation.units import counted

_PHASES = {
    UNPACKING: "Unpacking",
    READING: "Reading the package and rendering its statements",
    "programs": "Compiling its programs",
    "inputs": "Asking the input validators",
    "outputs": "Asking the output validator",
    "submissions": "Judging the jury's submissions",
    "unbuffered": "Measuring what flushing would cost",
}
_FOUND = ("calibrated", "default")  # where a time limit comes from that the package does not give
_ORIGINS = {
    "icpc": "the ICPC/Kattis problem package format",
    "plain": "a plain archive of tests",
    "dmoj": "a DMOJ archive",
    "polygon": "a Polygon package",
    "cms": "a task of CMS, the olympiads' Contest Management System",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class PhaseShown:
    """One line of the progress. `standing`: "done", "now" or "to come"."""

    name: str
    standing: str
    done: int = 0
    total: int = 0
    problems: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Mistake:
    """One error in a package: the place in the file, a sentence, and the compiler's messages."""

    key: str
    sentence: str
    transcript: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FileMistakes:
    """All errors in one file."""

    file: str
    mistakes: tuple[Mistake, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class UploadShown:
    """The page. `title` and `sentence` give its state; `kind` of note is for the styles."""

    upload: PackageUpload
    title: str
    sentence: str
    kind: str
    phases: tuple[PhaseShown, ...]
    submissions: tuple[Mapping[str, Any], ...]
    files: tuple[FileMistakes, ...]
    origin: str
    target: Problem | None  # the problem that publishing makes a version of; None: a new one
    remarks: tuple[str, ...]  # from reading the package, that its report does not repeat
    address_trouble: str  # why the address that it would get cannot be had, as a sentence
    limiting: tuple[str, ...]  # jury submissions that the time limit may rest on; () if the package gives it

    @property
    def is_live(self) -> bool:
        """Return whether it will change by itself."""
        return not self.upload.is_done or self.upload.is_publishing_itself


def shown(upload: PackageUpload) -> UploadShown:
    """Return the page of this upload."""
    title, sentence, kind = _standing(upload)
    return UploadShown(
        upload=upload,
        title=title,
        sentence=sentence,
        kind=kind,
        phases=() if upload.is_done else _phases(upload.progress),
        submissions=() if upload.is_done else tuple(upload.progress.get("submissions", ())),
        files=by_file(upload.mistakes),
        origin=_ORIGINS.get(upload.origin, ""),
        target=upload.replaces or _own_problem(upload),
        remarks=_remarks(upload),
        address_trouble=_address_trouble(upload),
        limiting=_limiting(upload),
    )


def by_file(mistakes: list[dict[str, str]]) -> tuple[FileMistakes, ...]:
    """Group errors by file, in the order in which they were found."""
    files: dict[str, list[Mistake]] = {}
    for mistake in mistakes:
        sentence, _, transcript = mistake["why"].partition("\n")
        files.setdefault(mistake["file"], []).append(
            Mistake(key=mistake["key"], sentence=sentence, transcript=transcript)
        )
    return tuple(FileMistakes(file=file, mistakes=tuple(found)) for file, found in files.items())


def _standing(upload: PackageUpload) -> tuple[str, str, str]:
    if upload.discarded_at:
        return "Discarded", "Nothing of the package is kept; its report stays here.", ""
    if upload.published_version:
        version = upload.published_version
        return "Published", f"It is version {version.number} of {version.problem.title}.", "success"
    if not upload.is_done:
        return _waiting(upload)
    if upload.trouble:
        return "The verification failed", "That is the judge's fault, not the package's. Try it again.", "error"
    if upload.mistakes:
        things = counted(len(upload.mistakes), "thing is", "things are")
        return "Refused", f"Nothing was published: {things} wrong with the package.", "error"
    if upload.is_clean:
        return _clean(upload)
    return "Not clean", "Something in the package is not as it says. It is not published.", "warning"


def _clean(upload: PackageUpload) -> tuple[str, str, str]:
    warnings = len((upload.report or {}).get("warnings", ()))
    title = f"Clean, with {counted(warnings, 'warning')}" if warnings else "Clean"
    if not upload.is_solved:
        words = "Nothing in it speaks against it, but no accepted submission was run to prove that it can be solved."
        return title, f"{words} It is not published yet.", "warning"
    if upload.is_publishing_itself:
        return title, "Everything in the package is as it says. It is published in a moment, as you asked.", "success"
    return title, "Everything in the package is as it says. It is not published yet.", "success"


def _waiting(upload: PackageUpload) -> tuple[str, str, str]:
    if not WorkerNode.objects.alive().exists():
        return "Waiting", "No worker is running; the package is kept and will be verified when one starts.", ""
    if upload.status == Status.JUDGING:
        if PackageUpload.objects.filter(leases.run_out(), pk=upload.pk).exists():
            return "Verifying", "The worker that had it has stopped answering. It is taken up again by itself.", ""
        return "Verifying", "What students send in goes first, so this may pause now and then.", ""
    before = PackageUpload.objects.exclude(status=Status.DONE).filter(pk__lt=upload.pk).count()
    again = " The last attempt failed by a fault of ours." if upload.failures else ""
    if before:
        return "Waiting", f"{counted(before, 'package is', 'packages are')} looked at before this one.{again}", ""
    return "Waiting", f"It is next.{again}", ""


def _phases(progress: Mapping[str, Any]) -> tuple[PhaseShown, ...]:
    begun = {phase["name"]: phase for phase in progress.get("phases", ())}
    last = next(reversed(begun), None)
    found = []
    for name, words in _PHASES.items():
        phase = begun.get(name, {})
        standing = "now" if name == last else "done" if phase else "to come"
        numbers = {key: phase.get(key, 0) for key in ("done", "total", "problems")}
        found.append(PhaseShown(name=words, standing=standing, **numbers))
    return tuple(found)


def _own_problem(upload: PackageUpload) -> Problem | None:
    return Problem.objects.filter(slug=upload.slug, owner=upload.owner).first() if upload.slug else None


def _remarks(upload: PackageUpload) -> tuple[str, ...]:
    told = {*(upload.report or {}).get("warnings", ())}
    return tuple(one for one in upload.columns.get("warnings", ()) if one not in told) if upload.digest else ()


def _address_trouble(upload: PackageUpload) -> str:
    if upload.replaces or upload.is_decided or not upload.digest:
        return ""
    try:
        check_slug(upload.slug, upload.owner, upload.slug)
    except PackageErrors as wrong:
        return f"{upload.slug or 'The name'} {wrong.errors[0].why}. Choose another address."
    return ""


def _limiting(upload: PackageUpload) -> tuple[str, ...]:
    """Return submissions that must be in time, and those already excluded: the choices to tick."""
    report = upload.report or {}
    if report.get("time_limit_source", "calibrated") not in _FOUND:
        return ()
    bound = {
        one["path"]
        for one in report.get("submissions", ())
        if one.get("verdict") and (one.get("bound") == "lower" or one.get("bound_us") is not None)
    }
    return tuple(sorted(bound | set(upload.excluded)))
