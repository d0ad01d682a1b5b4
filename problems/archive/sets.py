"""Take an archive of several problems apart, into one zip for each.

How it works: the archive is read and unpacked in the same bounds as that of a single problem, all of them together.
Only one problem lies unpacked at a time. A folder is packed again; a zip is taken as it is, and nobody looks into it
here.
"""

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from zipfile import ZipFile

from problems.archive.export import zip_files
from problems.archive.reading import Allowance, Entry, Kind, open_archive, read_entries, unpack
from problems.archive.upload import staging_folder
from problems.convert.detection import PackageSet, Parts
from problems.diagnostics import Report
from problems.format.files import Caps, package_files, printable
from problems.package import PackageError, PackageErrors
from problems.translation import Sentence


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """One problem of the archive: its place in it, and its zip, which is gone when the next one is asked for."""

    name: str
    archive: Path | None  # None: it cannot be taken out
    errors: tuple[PackageError, ...] = ()  # why


def members_of(
    file: BinaryIO, package_set: PackageSet, staging_root: Path, caps: Caps | None = None
) -> Generator[Member, None, None]:
    """Yield the problems that `found` names, sorted. Raises PackageErrors if the archive as a whole is damaged."""
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
    report = Report()
    files = package_files(unpacked, report, allowance.caps)
    report.stop_if_broken()
    with packed.open("wb") as target:
        target.writelines(zip_files(place[-1], files))
    return packed
