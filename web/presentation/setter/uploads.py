"""The page of an uploaded package: what it waits for, its progress, its errors."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, count as count_up

from django.utils.translation import gettext as _, gettext_noop, ngettext

from judge.grading.verification.verified import Phase, ReportRecord, SubmissionRecord
from judge.models import PackageUpload, Status, WorkerNode
from judge.queue import leases
from judge.uploads.importing import READING, UNPACKING
from judge.uploads.time_limits import target_of
from problems.models import Problem
from problems.package import ErrorRecord, PackageErrors
from problems.store.publishing import TAKEN_SLUGS, check_slug, slug_of
from problems.translation import in_readers_language, sentence_of, translated
from web.presentation.units import count

_PHASES = {
    UNPACKING: gettext_noop("Unpacking"),
    READING: gettext_noop("Reading the package and rendering its statements"),
    "programs": gettext_noop("Compiling its programs"),
    "inputs": gettext_noop("Asking the input validators"),
    "outputs": gettext_noop("Asking the checker"),
    "submissions": gettext_noop("Judging the jury's submissions"),
    "unbuffered": gettext_noop("Measuring what flushing would cost"),
}
_FOUND = ("calibrated", "default")  # where a time limit comes from that the package does not give
_ORIGINS = {
    "icpc": gettext_noop("the ICPC/Kattis problem package format"),
    "plain": gettext_noop("a plain archive of tests"),
    "dmoj": gettext_noop("a DMOJ archive"),
    "polygon": gettext_noop("a Polygon package"),
    "cms": gettext_noop("a task of CMS, the olympiads' Contest Management System"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class PhaseShown:
    """One line of the progress. `standing`: "done", "now" or "to come"."""

    name: str
    standing: str
    progress: Phase


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
    submissions: tuple[SubmissionRecord, ...]
    files: tuple[FileMistakes, ...]
    origin: str
    target: Problem | None  # the problem that publishing makes a version of; None: a new one
    parts: tuple[PackageUpload, ...]  # of a set that was taken apart: its packages
    left_out: tuple[str, ...]  # of such a set: what belongs to none of them, as sentences
    address_trouble: str  # why the address that it would get cannot be had, as a sentence
    limiting: tuple[str, ...]  # jury submissions that the time limit may rest on; () if the package gives it

    @property
    def is_live(self) -> bool:
        return not self.upload.is_done or self.upload.is_publishing_itself


def shown(upload: PackageUpload) -> UploadShown:
    """Return the page of this upload."""
    parts = tuple(upload.parts.defer("report").order_by("pk")) if upload.is_done and upload.report is None else ()
    title, sentence, kind = _standing(upload)
    if parts:
        words = ngettext(
            "The archive held %(number)s package, which is an upload of its own.",
            "The archive held %(number)s packages. Each is an upload of its own.",
            len(parts),
        )
        title, sentence, kind = _("Taken apart"), words % {"number": count(len(parts))}, "success"
    warnings = upload.columns.get("warnings", ()) if parts else ()
    begun = {phase.name: phase for phase in upload.progress.phases}
    last = next(reversed(begun), None)
    phases = tuple(
        PhaseShown(
            name=_(words),
            standing="now" if name == last else "done" if name in begun else "to come",
            progress=begun.get(name, Phase(name=name)),
        )
        for name, words in (() if upload.is_done else _PHASES.items())
    )
    return UploadShown(
        upload=upload,
        title=title,
        sentence=sentence,
        kind=kind,
        phases=phases,
        submissions=() if upload.is_done else upload.progress.submissions,
        files=by_file(upload.mistakes),
        origin=_(_ORIGINS.get(upload.origin, "")),
        target=target_of(upload),
        parts=parts,
        left_out=tuple(translated(sentence_of(warning)) for warning in warnings),
        address_trouble=_address_trouble(upload),
        limiting=_limiting(upload),
    )


def proposed_slug(upload: PackageUpload) -> str:
    """Return the address to offer for an upload: that of its name; else of its title in any language, or its number."""
    if upload.slug:
        return upload.slug
    titles = [upload.title, *(translation["title"] for translation in upload.columns.get("translations", ()))]
    numbered = (f"problem-{upload.pk}{f'-{number}' if number else ''}" for number in count_up())
    candidates = chain(filter(None, map(slug_of, titles)), numbered)
    untaken = (slug for slug in candidates if slug not in TAKEN_SLUGS)
    return next(slug for slug in untaken if not Problem.objects.filter(slug=slug).exists())


def by_file(mistakes: Sequence[ErrorRecord]) -> tuple[FileMistakes, ...]:
    """Group errors by file, in the order in which they were found."""
    files: dict[str, list[Mistake]] = {}
    for mistake in in_readers_language(tuple(mistakes)):
        sentence, _, transcript = (mistake.reason or mistake.why).partition("\n")
        files.setdefault(mistake.file, []).append(Mistake(key=mistake.key, sentence=sentence, transcript=transcript))
    return tuple(FileMistakes(file=file, mistakes=tuple(mistakes)) for file, mistakes in files.items())


def _standing(upload: PackageUpload) -> tuple[str, str, str]:
    if upload.discarded_at:
        return _("Discarded"), _("Nothing of the package is kept; its report stays here."), ""
    if upload.published_version:
        version = upload.published_version
        words = _("It is version %(number)s of %(title)s.")
        return _("Published"), words % {"number": version.number, "title": version.problem.shown_title}, "success"
    if not upload.is_done:
        return _waiting(upload)
    if upload.trouble:
        return _("The verification failed"), _("That is the judge's fault, not the package's. Try it again."), "error"
    if upload.mistakes:
        words = ngettext(
            "Nothing was published: %(number)s thing is wrong with the package.",
            "Nothing was published: %(number)s things are wrong with the package.",
            len(upload.mistakes),
        )
        return _("Refused"), words % {"number": count(len(upload.mistakes))}, "error"
    if upload.is_clean:
        return _clean(upload)
    if upload.no_verdicts:
        words = _("No program gets a verdict by this package, so it cannot be published: %(reason)s")
        return _("Cannot judge"), words % {"reason": upload.no_verdicts}, "error"
    sentence = _("Something in the package is not as it says. It is not published.")
    if upload.report and upload.report.ok:  # then only pictures speak against it
        sentence = _("Students would not see every picture of the statement. It is not published.")
    return _("Not clean"), sentence, "warning"


def _clean(upload: PackageUpload) -> tuple[str, str, str]:
    warnings = len(upload.report.warnings) if upload.report else 0
    with_warnings = ngettext("Verified, with %(number)s warning", "Verified, with %(number)s warnings", warnings)
    title = with_warnings % {"number": count(warnings)} if warnings else _("Clean")
    if not upload.is_solved:
        sentence = _(
            "Nothing in it speaks against it, but no accepted submission was run to prove that it can be solved. It is "
            "not published yet."
        )
        return title, sentence, "warning"
    if warnings and upload.is_publishing_itself:
        return title, _("No part of the package failed. It is published in a moment, as you asked."), "warning"
    if warnings:
        return title, _("No part of the package failed. Read the warnings before you publish it."), "warning"
    if upload.is_publishing_itself:
        sentence = _("Everything in the package is as it says. It is published in a moment, as you asked.")
        return title, sentence, "success"
    return title, _("Everything in the package is as it says. It is not published yet."), "success"


def _waiting(upload: PackageUpload) -> tuple[str, str, str]:
    if not WorkerNode.objects.grading().exists():
        sentence = _("No worker is running; the package is kept and will be verified when one starts.")
        return _("Waiting"), sentence, ""
    if upload.status == Status.JUDGING:
        if PackageUpload.objects.filter(leases.run_out(), pk=upload.pk).exists():
            sentence = _("The worker that had it has stopped answering. It is taken up again by itself.")
            return _("Verifying"), sentence, ""
        return _("Verifying"), _("What students send in goes first, so this may pause now and then."), ""
    before = PackageUpload.objects.exclude(status=Status.DONE).filter(pk__lt=upload.pk).count()
    sentences = [_("It is next.")]
    if before:
        words = ngettext(
            "%(number)s package is looked at before this one.",
            "%(number)s packages are looked at before this one.",
            before,
        )
        sentences = [words % {"number": count(before)}]
    if upload.failures:
        sentences.append(_("The last attempt failed by a fault of ours."))
    return _("Waiting"), " ".join(sentences), ""


def _address_trouble(upload: PackageUpload) -> str:
    if upload.replaces or upload.is_decided or not upload.digest:
        return ""
    try:
        check_slug(upload.slug, upload.owner, upload.slug)
    except PackageErrors as wrong:
        if not upload.slug:
            words = _(
                "The package's name gives no address, which has only a to z, 0 to 9 and hyphens. %(slug)s is free."
            )
            return words % {"slug": proposed_slug(upload)}
        why = {"name": upload.slug, "why": translated(wrong.errors[0].why)}
        return _("%(name)s %(why)s. Choose another address.") % why
    return ""


def _limiting(upload: PackageUpload) -> tuple[str, ...]:
    """Return submissions that must be in time, and those already excluded: the choices to tick."""
    report = upload.report or ReportRecord()
    if report.time_limit_source not in _FOUND:
        return ()
    ran = (submission for submission in report.submissions if submission.verdict)
    bound = {submission.path for submission in ran if submission.bound == "lower" or submission.bound_us is not None}
    return tuple(sorted(bound | set(upload.excluded)))
