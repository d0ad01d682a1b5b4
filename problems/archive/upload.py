"""Stage an uploaded zip or a folder as a package folder of the native format, or report all its errors.

How it works: `reading` says which entries there are and refuses the rest, and writes them into a new folder below the
staging root, counted while they are read. What is not native is converted beside it. Everything is removed at the end,
whatever happened.

An archive of several problems is taken apart into one zip for each, in the same bounds, all of them together. Only one
problem lies unpacked at a time. A folder is packed again; a zip is taken as it is, and nobody looks into it here.
"""

import re
import tempfile
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from zipfile import ZipFile

from problems.archive.entrynames import why_refused
from problems.archive.export import zip_files
from problems.archive.reading import Allowance, Entry, Kind, open_archive, read_entries, unpack
from problems.convert.cms.problem import read_cms
from problems.convert.detection import CMS, DMOJ, NATIVE, PLAIN, POLYGON, PackageSet, Parts, find_origin
from problems.convert.dmoj.problem import read_dmoj
from problems.convert.native import write_native
from problems.convert.plain import read_plain
from problems.convert.polygon.problem import read_polygon
from problems.convert.source import Source
from problems.diagnostics import Report
from problems.format.files import Caps, checked_files, package_files, printable, sweep
from problems.package import ARCHIVE, PackageError, PackageErrors
from problems.translation import Sentence

_PREFIX = "upload-"
_UNPACKED = ".unpacked"  # no short name begins with a dot
_INNER = ".inner"
_SCRATCH = ".scratch"
READERS = {PLAIN: read_plain, DMOJ: read_dmoj, POLYGON: read_polygon, CMS: read_cms}


@dataclass(frozen=True, kw_only=True, slots=True)
class StagedPackage:
    """A native package folder; `origin` is its original format: "icpc", "plain", "dmoj", "polygon" or "cms"."""

    folder: Path
    origin: str
    warnings: tuple[Sentence, ...]  # of the conversion


@contextmanager
def staged_package(
    archive: BinaryIO | Path, *, staging_root: Path, name: str | None = None, caps: Caps | None = None
) -> Iterator[StagedPackage]:
    """Stage the archive or folder for `load_package`; the staged files are removed at the end.

    `name` is the archive's file name as the uploader gave it; the package's short name comes from it when no folder in
    the archive gives one. A folder that is native already is yielded as it is. Raises PackageErrors with every entry
    that is wrong (a single PackageSet if there are several problems), and leaves nothing behind.
    """
    if isinstance(archive, Path) and archive.is_file():
        with (
            archive.open("rb") as file,
            staged_package(file, staging_root=staging_root, name=name or archive.name, caps=caps) as package,
        ):
            yield package
        return
    with staging_folder(staging_root) as folder:
        stage = _Stage(folder, printable(name) if name else ARCHIVE, caps or Caps())
        try:
            package = stage.take_folder(archive) if isinstance(archive, Path) else stage.take_archive(archive)
        except PackageError as error:
            raise PackageErrors([error]) from error
        yield package


@contextmanager
def staging_folder(root: Path) -> Iterator[Path]:
    """Provide a new folder below the staging root; what killed processes left there goes after a day."""
    root.mkdir(parents=True, exist_ok=True)
    sweep(root, _PREFIX)
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=root) as folder:
        yield Path(folder)


class _Stage:
    def __init__(self, folder: Path, name: str, caps: Caps) -> None:
        self._folder = folder
        self._name = name
        self._caps = caps
        self._allowance = Allowance(caps)
        self._report = Report()
        self._files: Mapping[str, Path] = {}  # of what is to be converted
        self._inner_names: dict[Path, str] = {}  # of what was unpacked from an archive in it: "archive.zip/entry"

    def take_archive(self, file: BinaryIO) -> StagedPackage:
        with open_archive(file, self._name) as archive:
            entries = read_entries(archive, self._caps, self._report)
            self._report.stop_if_broken()
            origin, top = find_origin([entry.parts for entry in entries if entry.kind is not Kind.FOLDER], self._name)
            short_name = top[-1] if top and origin is not PLAIN else _short_name(self._name, self._caps)
            folder = self._folder / (short_name if origin is NATIVE else _UNPACKED)
            folder.mkdir()
            unpack(archive, entries, folder, self._allowance, below=len(top))
        return self._native(folder, short_name, origin)

    def take_folder(self, root: Path) -> StagedPackage:
        files = checked_files(root, self._caps)
        origin, top = find_origin([tuple(name.split("/")) for name in files], printable(root.resolve().name))
        return self._native(root.joinpath(*top), _short_name(root.resolve().name, self._caps), origin)

    def _native(self, folder: Path, short_name: str, origin: str) -> StagedPackage:
        if origin is not NATIVE:
            files = self._files = checked_files(folder, self._caps)
            scratch = self._folder / _SCRATCH
            scratch.mkdir()
            source = Source(
                files=files, short_name=short_name, report=self._report, scratch=scratch, unpack=self._unpack_inner
            )
            problem = READERS[origin](source)
            self._report.stop_if_broken()
            folder = self._folder / (_short_name(problem.short_name, self._caps) if problem.short_name else short_name)
            names = self._inner_names | {path: name for name, path in files.items()}
            names |= {copy: names[path] for copy, path in source.copies.items() if path in names}
            write_native(problem, folder, before=names)
        return StagedPackage(folder=folder, origin=origin, warnings=tuple(self._report.warnings))

    def _unpack_inner(self, name: str) -> Mapping[str, Path]:
        """Return the files of an archive inside the archive: of one only, and of none inside that one.

        Raises PackageError and PackageErrors with entries "archive.zip/entry".
        """
        folder, report = self._folder / _INNER, Report()
        with self._files[name].open("rb") as file, open_archive(file, printable(name)) as archive:
            entries = read_entries(archive, self._caps, report)
            _stop_if_broken(report, name)
            folder.mkdir()
            try:
                unpack(archive, entries, folder, self._allowance)
            except PackageError as error:
                raise _inside(error, name) from error
        files = package_files(folder, report, self._caps)
        _stop_if_broken(report, name)
        self._inner_names |= {path: f"{name}/{entry}" for entry, path in files.items()}
        return files


def _stop_if_broken(report: Report, name: str) -> None:
    if report.errors:
        raise PackageErrors([_inside(error, name) for error in report.errors])


def _inside(error: PackageError, name: str) -> PackageError:
    archive = printable(name)
    return PackageError(archive if error.file == ARCHIVE else f"{archive}/{error.file}", error.key, error.why)


def _short_name(name: str, caps: Caps) -> str:
    stem = re.sub(r"[^A-Za-z0-9_.-]+", "-", PurePosixPath(name.replace("\\", "/")).stem).strip("-.")[:64]
    return stem if stem and why_refused(stem, caps) is None else "package"


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """One problem of the archive: its place in it, and its zip, which is gone when the next one is asked for."""

    name: str
    archive: Path | None  # None: it cannot be taken out
    errors: tuple[PackageError, ...] = ()  # why


def members_of(
    file: BinaryIO, package_set: PackageSet, staging_root: Path, caps: Caps | None = None
) -> Generator[Member, None, None]:
    """Yield the problems of the set, sorted. Raises PackageErrors if the archive as a whole is damaged."""
    caps, report = caps or Caps(), Report()
    allowance = Allowance(caps)
    with open_archive(file, package_set.file) as archive:
        entries = read_entries(archive, caps, report)
        report.stop_if_broken()
        for place in sorted([*package_set.folders, *package_set.zips]):
            own = [entry for entry in entries if entry.parts[: len(place)] == place]
            name = printable("/".join(place))
            with staging_folder(staging_root) as folder:
                try:
                    path = _taken_out(archive, own, place, folder, allowance, is_zip=place in package_set.zips)
                    member = Member(name=name, archive=path)
                except PackageErrors as wrong:
                    member = Member(name=name, archive=None, errors=tuple(wrong.errors))
                except PackageError as error:
                    member = Member(name=name, archive=None, errors=(error,))
                yield member


def _taken_out(
    archive: ZipFile, own: list[Entry], place: Parts, folder: Path, allowance: Allowance, *, is_zip: bool
) -> Path:
    if is_zip and own[0].kind is not Kind.FILE:
        raise PackageError(printable("/".join(place)), "", Sentence("is a link: pack the file itself"))
    if is_zip:
        unpack(archive, own, folder, allowance, below=len(place) - 1)
        return folder / place[-1]
    unpacked, packed = folder / "unpacked", folder / "packed"
    unpacked.mkdir()
    unpack(archive, own, unpacked, allowance, below=len(place))
    files = checked_files(unpacked, allowance.caps)
    with packed.open("wb") as target:
        target.writelines(zip_files(place[-1], files))
    return packed
