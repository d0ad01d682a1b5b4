"""Turn an uploaded archive into a verified package: unpack and convert, read, store, verify; or a set into its parts.

How it works: the archive is staged in the worker's own folder. Once the package in it is found whole it goes into the
store and the archive's bytes go away, so that an attempt that comes after a killed worker verifies what is stored.
Whatever is wrong with the package ends in a report; what is raised here is ours. Every write is fenced by the lease.
Verifying takes minutes: `between` is called between any two programs that it runs, for students' work to go first.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.db import transaction

from judge.grading.events import CaseJudged
from judge.grading.verification.calibration import found_limit_ms
from judge.grading.verification.jury_trial import CHOSEN
from judge.grading.verification.pictures import Drawer
from judge.grading.verification.verification import verify
from judge.grading.verification.verified import Progress, ReportRecord, Step, SubmissionVerified
from judge.models import PackageUpload
from judge.queue import wakeup
from judge.queue.leases import Lease, LeaseLost, fenced, write_patiently
from judge.slots import Slot
from judge.submissions.records import finish
from judge.uploads import archives, sets, time_limits, uploads
from problems import versions
from problems.archive.upload import staged_package
from problems.columns import clean_json
from problems.convert.detection import PackageSet
from problems.diagnostics import reason_of
from problems.format.limits import MOST_TIME_LIMIT_S, SECOND_MS
from problems.groups.dialects import UNSURE
from problems.loading.loading import UNGIVEN_LIMIT, load_package
from problems.package import Package, PackageError, PackageErrors
from problems.statement.rendering import Picture, render_drawn
from problems.store.fsync import try_lock
from problems.store.publishing import describe, keep, slug_of
from problems.store.stores import package_store
from problems.translation import quoted, sentence_of
from sandbox.types import Sandbox

UNPACKING, READING = "unpacking", "reading"  # the phases before those of judge.grading.verification.verified
WRITE_EVERY_S = 0.5  # progress between two writes is left out


class ImportRecord:
    """Writes one attempt's results. Each write waits up to settings.LEASE_S for the database, and raises LeaseLost."""

    def __init__(self, lease: Lease[PackageUpload]) -> None:
        self._lease = lease
        self._written_at = 0.0
        self.progress = Progress()

    def enter(self, phase: str) -> None:
        """Record that a phase begins."""
        self.progress.enter(phase)
        self._write()

    def note(self, event: Step | SubmissionVerified) -> None:
        """Record the progress, unless it was recorded just now."""
        self.progress.note(event)
        self._write_now_and_then()

    def look_at(self, file: str) -> None:
        """Record the current file, unless something was recorded just now."""
        self.progress.file = file
        self._write_now_and_then()

    def store(self, package: Package, origin: str, slug: str, columns: dict[str, Any]) -> None:
        """Put the package into the store and delete the archive."""

        @transaction.atomic
        def keep_it() -> None:
            versions.hold(package.digest)
            keep(package)

        def write() -> str:
            with fenced(self._lease) as row:
                versions.hold(package.digest)
                if not package_store().has(package.digest):  # removed in between with another upload
                    keep(package)
                token, row.token = row.token, ""
                row.digest, row.origin, row.slug, row.columns = package.digest, origin, slug, clean_json(columns)
                row.kept_bytes = size
                row.save()
                return token

        size = sum(path.stat().st_size for path in package.path.rglob("*") if path.is_file())
        write_patiently(keep_it)  # takes its time, so not while the row is locked
        try:
            token = write_patiently(write)
        except LeaseLost:
            uploads.forget_package(package.digest)
            raise
        archives.throw_away(token)

    def refuse(self, name: str, errors: list[PackageError]) -> None:
        """End with all errors of an unusable package; nothing of it stays."""

        def write() -> str:
            with fenced(self._lease) as row:
                token, digest = row.token, row.digest
                uploads.refuse(row, name, errors)
                row.save()
                uploads.forget_package(digest)
                return token

        archives.throw_away(write_patiently(write))
        self._announce("refused")

    def report(self, report: ReportRecord, package: Package) -> PackageUpload:
        """End with the report; measured values fill gaps of the package: time limit, dialect of points."""

        def write() -> PackageUpload:
            with fenced(self._lease) as row:
                row.report, row.is_clean = report, report.clean
                row.progress = self.progress
                columns: dict[str, Any] = {}
                outdated: tuple[str, ...] = ()  # reasons of warnings about what held until then, and holds no more
                if not package.is_time_limit_given:
                    near = report.calibration and report.calibration.slowest_in_time
                    columns["time_limit_ms"] = report.time_limit_ms
                    if report.time_limit_source == CHOSEN and near:  # what follows from the jury's submissions
                        needed_ms = found_limit_ms(near.cpu_time_us, package.time_rule)
                        columns["time_limit_ms"] = min(needed_ms, MOST_TIME_LIMIT_S * SECOND_MS)
                    outdated += (UNGIVEN_LIMIT,)
                dialect = report.score_dialect
                if dialect is not None and dialect.is_certain:
                    columns["score_dialect"] = dialect.name
                    row.columns |= row.columns.get(versions.BY_DIALECT, {}).get(dialect.name, {})
                    outdated += UNSURE
                if columns:
                    row.columns |= columns | {"own_settings": row.columns["own_settings"] | columns}
                    warnings = row.columns["warnings"]
                    row.columns["warnings"] = [
                        warning for warning in warnings if reason_of(sentence_of(warning)) not in outdated
                    ]
                finish(row)
                row.save()
                return row

        upload = write_patiently(write)
        self._announce("reported")
        return upload

    def _write_now_and_then(self) -> None:
        if time.monotonic() - self._written_at >= WRITE_EVERY_S:
            self._write()

    def _write(self) -> None:
        def write() -> None:
            with fenced(self._lease) as row:
                row.progress = self.progress
                row.save(update_fields=["progress"])

        write_patiently(write)
        self._written_at = time.monotonic()
        self._announce("progress")

    def _announce(self, news: str) -> None:
        wakeup.announce(PackageUpload(pk=self._lease.id), news)


@contextmanager
def only_one(work_root: Path, what: str = "uploads") -> Iterator[bool]:
    """Return whether no other process of this host does such work; keeps others out until the end of the `with`."""
    descriptor = os.open(work_root / f"{what}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield try_lock(descriptor)
    finally:
        os.close(descriptor)


def import_package(
    lease: Lease[PackageUpload], sandbox: Sandbox, slot: Slot, between: Callable[[], None] = lambda: None
) -> None:
    """Process an upload until its report is ready; publish it if its owner wants clean ones published.

    Raises LeaseLost, SandboxError, OSError, PackageMissing, StoreUnavailable.
    """
    record = ImportRecord(lease)
    upload = write_patiently(lambda: PackageUpload.objects.get(pk=lease.id))
    try:
        if not upload.digest:
            drawer = Drawer(sandbox=sandbox, work_root=slot.folder, cpu=slot.cpu)
            if not _bring_in(upload, lease, record, drawer, between):
                return
            write_patiently(upload.refresh_from_db)
        between()
        with package_store().using(upload.digest) as package:
            report = _verify(package, upload, record, sandbox, slot, between)
    except PackageErrors as wrong:
        record.refuse(upload.name, wrong.errors)
    except PackageError as wrong:
        record.refuse(upload.name, [wrong])
    else:
        uploads.follow(record.report(report, package))


def _bring_in(
    upload: PackageUpload,
    lease: Lease[PackageUpload],
    record: ImportRecord,
    drawer: Drawer,
    between: Callable[[], None],
) -> bool:
    """Unpack, convert, read, draw what browsers do not show, and store; of a set, make an upload of each package and
    return False.

    Raises PackageErrors, SandboxError.
    """

    def draw(source: Path | str) -> Picture:
        between()
        return drawer.draw(source)

    record.enter(UNPACKING)
    staging = drawer.work_root / "staging"
    with ExitStack() as stack:
        archive = stack.enter_context(archives.opened(upload.token, staging))
        try:
            staged = stack.enter_context(staged_package(archive, staging_root=staging, name=upload.name))
        except PackageErrors as wrong:
            mistake = wrong.errors[0]
            if not isinstance(mistake, PackageSet) or upload.replaces_id or upload.part_of_id:
                raise

            def step(name: str) -> None:
                record.look_at(name)
                between()

            sets.take_apart(lease, archive, mistake, staging, step)
            archives.throw_away(upload.token)
            return False
        record.enter(READING)
        package = load_package(staged.folder)
        package, page = render_drawn(package, draw, package.path)
        columns = describe(package, page)
        columns["warnings"] = [*(warning.as_json() for warning in staged.warnings), *columns["warnings"]]
        record.store(package, staged.origin, slug_of(package.short_name), columns)
    return True


def _verify(
    package: Package,
    upload: PackageUpload,
    record: ImportRecord,
    sandbox: Sandbox,
    slot: Slot,
    between: Callable[[], None],
) -> ReportRecord:
    name = ""
    # of conversion and statements too
    told_before = (quoted(sentence_of(warning)) for warning in upload.columns["warnings"])
    package = replace(package, warnings=tuple(dict.fromkeys((*told_before, *package.warnings))))

    def watch(case: CaseJudged) -> None:
        record.look_at(f"{name}: {case.name}")

    chosen = write_patiently(lambda: time_limits.in_force(upload))
    how = {"exclude": frozenset(upload.excluded), "chosen": chosen, "cpu": slot.cpu}
    for event in verify(package, sandbox, slot.folder, **how, watch=watch, between=between):
        if isinstance(event, ReportRecord):
            return event
        if isinstance(event, Step):
            name = event.name
        record.note(event)
    raise TypeError("verifying ended without a report")
