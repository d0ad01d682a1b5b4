"""Receive uploaded packages, and later publish or discard them. `judge.uploads.importing` does the work between.

How it works: the bytes of an archive are kept (`judge.uploads.archives`) until the package in them is stored or
refused. A stored package that nobody published is removed with the last upload that refers to it: that an upload lets
go of it is written down (`UnwantedPackage`) in the same transaction, the package goes after the commit, and what was
written down goes with it. When the storage is away by then, `sweep_packages` does the same later, as often as it takes.
An upload that nobody decided about for long is discarded (`judge.uploads.caps`). What a killed process left undone,
`sweep` does.

Locks are taken in this order: the upload's row, the digest (`versions.hold`), the problem's row.
"""

import hashlib
import logging
import secrets
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any, BinaryIO, cast

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import translation
from django.utils.translation import gettext as _, gettext_lazy

from judge.grading.verification.verified import ReportRecord
from judge.models import PackageUpload, Status, UnwantedPackage, WhenClean
from judge.queue import fairness, wakeup
from judge.submissions.intake import hold, sent_before
from judge.submissions.records import finish
from judge.uploads import archives, caps
from problems import versions
from problems.archive.reading import open_archive, read_entries
from problems.diagnostics import Report
from problems.format.files import Caps, printable
from problems.models import Audience, Problem, ProblemVersion
from problems.package import ARCHIVE, PackageError, PackageErrors
from problems.store.publishing import NO_NAME, OTHERS_NAME, SITES_ADDRESS, release
from problems.store.store import StoreUnavailable
from problems.store.stores import package_store

_UNUSABLE_NAMES = {  # by what `problems.store.publishing.check_slug` says
    NO_NAME: gettext_lazy("Enter an address: a to z, 0 to 9 and hyphens."),
    SITES_ADDRESS: gettext_lazy("%(name)s is an address of the site. Choose another name."),
    OTHERS_NAME: gettext_lazy("%(name)s is the name of a problem of somebody else. Choose another name."),
}
_AUDIENCES = {WhenClean.ASSIGN: Audience.ASSIGNMENTS, WhenClean.HIDE: Audience.HIDDEN}
_logger = logging.getLogger(__name__)


class UploadRefused(Exception):
    """Why an action on an upload is refused, as a sentence in the user's language."""


class NoRoom(UploadRefused):
    """One person's uploads take up as much as they may."""


class StoreAway(UploadRefused):
    """Impossible now, because the package store does not answer."""

    def __init__(self) -> None:
        super().__init__(
            _("The place where packages are kept does not answer. Nothing is lost: try again in a minute.")
        )


def receive(
    archive: BinaryIO, *, name: str, owner: User, replaces: Problem | None = None, when_clean: WhenClean = WhenClean.ASK
) -> PackageUpload:
    """Keep an archive's bytes, create its row and notify workers after the commit.

    Only the archive's directory is read here: PackageErrors names the entries that speak against it, and nothing is
    kept. What was just sent is not taken twice: its row is returned. Raises NoRoom, StoreAway.
    """
    unpacked_bytes = claimed_bytes(archive, printable(name) or ARCHIVE)
    archive.seek(0)
    digest = hashlib.file_digest(cast(Any, archive), "sha256").hexdigest()  # BinaryIO does not say `readinto`
    columns = {"replaces": replaces, "when_clean": when_clean, "sent_digest": digest}
    token = secrets.token_hex(16)
    try:
        size = archives.keep(archive, token)
    except StoreUnavailable as error:
        _logger.warning("a package cannot be taken: %s", error)
        raise StoreAway from error
    try:
        with transaction.atomic():
            hold(owner)
            own = PackageUpload.objects.undecided().filter(owner=owner, trouble="")
            if sent := sent_before(own, **columns):
                archives.throw_away(token)
                return sent
            if why := caps.Kept.of(owner).why_no_more(unpacked_bytes):
                raise NoRoom(why)
            upload = PackageUpload(
                owner=owner, name=printable(name)[:200], size=size, kept_bytes=unpacked_bytes, token=token, **columns
            )
            fairness.take_turn(upload)
            upload.save()
            transaction.on_commit(partial(wakeup.notify, upload))
    except BaseException:
        archives.throw_away(token)
        raise
    return upload


def publish(
    upload: PackageUpload, by: User, reason: str = "", *, slug: str = "", audience: Audience | None = None
) -> ProblemVersion:
    """Make the upload's package the current version of its problem: the one it replaces, or that of `slug`.

    One whose report is not clean needs a reason, which is kept. Raises UploadRefused.
    """
    with transaction.atomic():
        row = PackageUpload.objects.select_for_update(of=("self",)).get(pk=upload.pk)
        _check_publishable(row, by, reason)
        versions.hold(row.digest)
        try:
            is_there = package_store().has(row.digest)
        except StoreUnavailable as error:
            raise StoreAway from error
        if not is_there:
            raise UploadRefused(_("The package is no longer in the store. Upload it again."))
        version = _publish(row, by, slug or row.slug, audience)
        columns = row.note(published_version=version, published_at=Now(), published_by=by)
        row.save(update_fields=[*columns, *row.note(reason="" if row.is_clean else reason.strip())])
    wakeup.announce(row, "published")
    return version


def follow(upload: PackageUpload) -> None:
    """Publish a clean package if its owner asked for that and still may; a refused one waits for them."""
    if not upload.is_publishing_itself:
        return
    owner: User = upload.owner
    try:
        with translation.override("en"):  # rows keep English: pages translate what they show
            if not PackageUpload.objects.manageable_by(owner).filter(pk=upload.pk).exists():
                raise UploadRefused(_("Its owner may publish nothing any more."))
            if not upload.is_solved:
                raise UploadRefused(
                    _("No accepted submission was run, so nothing proves that the problem can be solved.")
                )
            publish(upload, owner, audience=_AUDIENCES.get(WhenClean(upload.when_clean)))
    except StoreAway as away:
        _logger.warning("%s is published later: %s", upload, away)  # `sweep` comes by again
    except UploadRefused as refused:
        _logger.info("%s is not published by itself: %s", upload, refused)
        PackageUpload.objects.undecided().filter(pk=upload.pk, status=Status.DONE).update(
            when_clean=WhenClean.ASK, refusal=str(refused)
        )
        wakeup.announce(upload, "reported")


def verify_again(upload: PackageUpload, excluded: Sequence[str] = ()) -> None:
    """Verify the upload again; `excluded` jury submissions do not count for the time limit. Raises UploadRefused."""
    with transaction.atomic():
        row = PackageUpload.objects.select_for_update().get(pk=upload.pk)
        if not row.can_be_verified_again:
            raise UploadRefused(_("This upload cannot be verified again: it is under way, decided about or refused."))
        hold(row.owner)
        columns = row.note(status=Status.QUEUED, excluded=sorted(excluded), failures=0, next_try_at=None)
        fairness.take_turn(row)
        row.save(update_fields=[*columns, "turn", "expected_ms", *row.start_over()])
        transaction.on_commit(partial(wakeup.notify, row))
    wakeup.announce(row, "queued")


def discard(upload: PackageUpload) -> None:
    """Delete the package; the row stays, with its report. Stops a worker that has it. Raises UploadRefused."""
    with transaction.atomic():
        row = PackageUpload.objects.select_for_update().get(pk=upload.pk)
        if row.published_at is not None:
            raise UploadRefused(_("This upload is published. Archive the problem, or go back to an earlier version."))
        if row.discarded_at is not None:
            return
        token, digest = row.token, row.digest
        row.discarded_at, row.status, row.lease_until, row.token, row.digest = Now(), Status.DONE, None, "", ""
        row.attempt += 1  # the fence: whoever works on it writes nothing more
        row.save()
        forget_package(digest)
    archives.throw_away(token)
    wakeup.announce(row, "discarded")


def discard_all(which: QuerySet[PackageUpload]) -> int:
    """Discard those of these uploads that nobody decides about meanwhile; return how many."""
    number = 0
    for upload in which.order_by("pk"):
        with suppress(UploadRefused):
            discard(upload)
            number += 1
    return number


def sweep() -> None:
    """Publish what was to be and was interrupted, discard what was refused or nobody decided about for long, and remove
    packages that were let go of and archives that no row names. Raises django.db.Error.

    Stored packages that no row ever named stay: the store may also be that of another installation.
    """
    for upload in PackageUpload.objects.publishing_themselves():
        follow(upload)
    done = PackageUpload.objects.undecided().filter(status=Status.DONE)
    for kind, which, kept_for in (
        ("refused", PackageUpload.objects.refused(), caps.REFUSED_FOR),
        ("undecided", done, caps.UNDECIDED_FOR),
    ):
        if number := discard_all(which.filter(finished_at__lt=Now() - kept_for)):
            _logger.info("%s %s uploads are discarded after %s", number, kind, kept_for)
    sweep_packages()
    archives.sweep(lambda token: PackageUpload.objects.filter(token=token).exists())


def claimed_bytes(archive: BinaryIO, name: str) -> int:
    """Return what the archive claims to hold, unpacked, from its directory alone. Raises PackageErrors."""
    report = Report()
    try:
        with open_archive(archive, name) as opened:
            entries = read_entries(opened, Caps(), report)
    except PackageError as error:
        raise PackageErrors([error]) from error
    report.stop_if_broken()
    return sum(entry.info.file_size for entry in entries)


def refuse(row: PackageUpload, name: str, errors: Sequence[PackageError]) -> None:
    """Note in the row that the package cannot be used, and that nothing of it is kept. Does not save."""
    row.token, row.digest, row.is_clean = "", "", False
    row.mistakes = tuple(error.record for error in errors)
    row.report = ReportRecord(problem=name, errors=tuple(error.sentence for error in errors))
    finish(row)


def _check_publishable(row: PackageUpload, by: User, reason: str) -> None:
    if row.published_at is not None:
        raise UploadRefused(_("This upload is published already."))
    if row.discarded_at is not None:
        raise UploadRefused(_("This upload was discarded."))
    if row.no_verdicts:
        why = _("No program gets a verdict by this package, so it cannot be published: %(reason)s")
        raise UploadRefused(why % {"reason": row.no_verdicts})
    if not row.is_publishable:
        raise UploadRefused(_("There is nothing to publish yet: the package has not been verified."))
    if not row.is_clean and not reason.strip():
        raise UploadRefused(_("The report is not clean: give a reason to publish the package all the same."))
    if row.replaces and not Problem.objects.manageable_by(by).filter(pk=row.replaces.pk).exists():
        raise UploadRefused(_("The problem that it replaces is not yours."))


def _publish(row: PackageUpload, by: User, slug: str, audience: Audience | None) -> ProblemVersion:
    if row.replaces is None:
        try:
            return release(row.digest, row.columns, slug=slug, owner=row.owner, by=by, audience=audience)
        except PackageErrors as wrong:
            raise UploadRefused(_UNUSABLE_NAMES[wrong.errors[0].why] % {"name": slug}) from wrong
    version = versions.add(row.replaces, row.digest, row.columns, by)
    if audience is not None:
        Problem.objects.filter(pk=row.replaces.pk).update(audience=audience)
    return version


def forget_package(digest: str) -> None:
    """Delete a stored package after the commit, unless a version or an undecided upload then refers to it."""
    if digest:
        released = UnwantedPackage.objects.create(digest=digest)
        transaction.on_commit(partial(_remove, released), robust=True)  # what was decided is decided


def sweep_packages() -> None:
    """Delete what could not be deleted earlier. Raises django.db.Error."""
    for released in UnwantedPackage.objects.order_by("pk"):
        if not _remove(released):
            return


def _remove(released: UnwantedPackage) -> bool:
    """Remove a released package unless it is wanted; return False if the row stays for `sweep_packages`."""
    digest = released.digest
    try:
        with transaction.atomic():
            versions.hold(digest)
            rows = (ProblemVersion.objects.all(), PackageUpload.objects.undecided())
            # asked while nobody can be adding it
            if not any(references.filter(digest=digest).exists() for references in rows):
                package_store().remove(digest)
            UnwantedPackage.objects.filter(pk=released.pk).delete()
    except (StoreUnavailable, OSError) as error:
        _logger.warning("package %s is removed later: %s", digest[:12], error)
        return False
    return True
