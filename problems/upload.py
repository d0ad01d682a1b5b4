"""An uploaded zip as a staged folder, or all that is wrong with it.

How it works: `archive` says which entries there are and refuses the rest; they are unpacked one by one into a new
folder below the staging root, counted while they are read, whatever the archive claims. Links are made last, so that
nothing is written through one, and only inside the package; `files.package_files` checks again where they really lead.
The folder is removed at the end, whatever happened.
"""

import posixpath
import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from problems.archive import Entry, Kind, open_archive, read_entries
from problems.entrynames import why_refused
from problems.files import MIB, Caps, printable, sweep
from problems.package import PackageError, PackageErrors
from problems.report import Report

_PREFIX = "upload-"
_CHUNK = 256 * 1024
_LINK_BYTES = 1_000
_UNPACKING = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError)


@contextmanager
def staged_package(
    archive: BinaryIO | Path, *, staging_root: Path, name: str | None = None, caps: Caps | None = None
) -> Iterator[Path]:
    """Yield the folder with the archive's package, for `load_package`; it is removed at the end.

    `name` is the archive's file name as the uploader gave it; the package's short name comes from it when no folder in
    the archive gives one. Raises PackageErrors with every entry that is wrong, and leaves nothing behind.
    """
    if isinstance(archive, Path):
        with (
            archive.open("rb") as file,
            staged_package(file, staging_root=staging_root, name=name or archive.name, caps=caps) as folder,
        ):
            yield folder
        return
    staging_root.mkdir(parents=True, exist_ok=True)
    sweep(staging_root, _PREFIX)
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=staging_root) as stage:
        yield _stage(archive, Path(stage), printable(name or "the archive"), caps or Caps())


def _stage(file: BinaryIO, stage: Path, name: str, caps: Caps) -> Path:
    report = Report()
    try:
        with open_archive(file, name) as archive:
            entries = read_entries(archive, caps, report)
            report.stop_if_broken()
            top = _top([entry for entry in entries if entry.kind is not Kind.FOLDER], name)
            folder = stage / _short_name(top, name, caps)
            folder.mkdir()
            _Unpacking(archive, folder, caps).unpack(entries, top)
            return folder
    except PackageError as error:
        raise PackageErrors([error]) from error


def _top(entries: list[Entry], name: str) -> tuple[str, ...]:
    """The folders above the package: none, or those that hold all there is and end at problem.yaml."""
    if not entries:
        raise PackageError(name, "", "holds no files")
    common: tuple[str, ...] = ()
    folders = [entry.parts[:-1] for entry in entries]
    for level in zip(*folders, strict=False):
        if len(set(level)) > 1:
            break
        common = (*common, level[0])
    found = sorted(entry.parts[:-1] for entry in entries if entry.parts[-1] == "problem.yaml")
    for length in range(len(common) + 1):
        if common[:length] in found:
            return common[:length]
    if found:
        where = ", ".join(printable("/".join(parts), 40) for parts in found[:3])
        raise PackageError(name, "", f"has no problem.yaml at its top, but in {where}: pack that folder alone")
    raise PackageError("problem.yaml", "", "is missing: it must lie at the top of the package")


def _short_name(top: tuple[str, ...], name: str, caps: Caps) -> str:
    if top:
        return top[-1]
    stem = re.sub(r"[^A-Za-z0-9_.-]+", "-", PurePosixPath(name.replace("\\", "/")).stem).strip("-.")[:64]
    return stem if stem and why_refused(stem, caps) is None else "package"


class _Unpacking:
    """Writes entries into a new folder and counts what really comes out."""

    def __init__(self, archive: zipfile.ZipFile, folder: Path, caps: Caps) -> None:
        self._archive = archive
        self._folder = folder
        self._caps = caps
        self._total = 0

    def unpack(self, entries: list[Entry], top: tuple[str, ...]) -> None:
        """Write folders and files first, links last. Raises PackageError at the first entry that cannot be."""
        for entry in sorted(entries, key=lambda entry: entry.kind is Kind.LINK):
            inside = entry.parts[len(top) :]
            if not inside:
                continue
            path = self._folder.joinpath(*inside)
            if entry.kind is Kind.FOLDER:
                path.mkdir(parents=True, exist_ok=True)
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            if entry.kind is Kind.FILE:
                self._write_file(entry, path)
            else:
                self._write_link(entry, inside, path)

    def _write_file(self, entry: Entry, path: Path) -> None:
        with path.open("xb") as target:
            for chunk in self._read(entry, self._caps.file_bytes):
                target.write(chunk)

    def _write_link(self, entry: Entry, inside: tuple[str, ...], path: Path) -> None:
        try:
            target = b"".join(self._read(entry, _LINK_BYTES)).decode()
        except UnicodeDecodeError:
            raise PackageError(printable(entry.name), "", "is a link whose target is not UTF-8") from None
        leads_to = posixpath.normpath(posixpath.join(*inside[:-1], target))
        if not target.isprintable() or not target or "\\" in target:
            raise PackageError(printable(entry.name), "", "is a link with an odd target")
        if posixpath.isabs(target) or leads_to == ".." or leads_to.startswith("../"):
            raise PackageError(printable(entry.name), "", "is a link that leads out of the package")
        path.symlink_to(target)

    def _read(self, entry: Entry, most_bytes: int) -> Iterator[bytes]:
        size = 0
        try:
            with self._archive.open(entry.info) as source:
                while chunk := source.read(_CHUNK):
                    size += len(chunk)
                    self._total += len(chunk)
                    if size > most_bytes:
                        raise PackageError(printable(entry.name), "", f"is larger than {_size(most_bytes)}")
                    if self._total > self._caps.total_bytes:
                        raise PackageError("the archive", "", f"holds more than {_size(self._caps.total_bytes)}")
                    yield chunk
        except _UNPACKING as error:
            raise PackageError(printable(entry.name), "", f"is damaged in the archive ({str(error)[:100]})") from error


def _size(size: int) -> str:
    return f"{size // MIB} MiB" if size >= MIB else f"{size} bytes"
